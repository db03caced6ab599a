#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace catena::codegen {

/// The operations of kernels; instructions.def has a row for each.
enum class Instruction : uint8_t {
#define CATENA_INSTRUCTION(name, operation, cost, weight, text, steps, library) name,
#include "codegen/kernel/instructions.def"
#undef CATENA_INSTRUCTION
};
extern const int instruction_count;

/// The facts about an instruction: the columns of instructions.def.
struct InstructionFacts {
    const char* operation;
    double cost;
    bool heavy;
    const char* text;
    bool has_steps;
    /// The C library's function for float64; null: LLVM has instructions for it.
    const char* library;
};
const InstructionFacts& facts_of(Instruction instruction);

/// The instruction that is this operation of MLIR; nothing if kernels have none.
std::optional<Instruction> instruction_of(std::string_view operation);

/// Whether the instruction is a comparison, which has a predicate.
inline bool is_comparison(Instruction i) {
    return i == Instruction::cmpf || i == Instruction::cmpi;
}

}  // namespace catena::codegen
