#include "codegen/kernel/instruction.h"

#include <iterator>

namespace catena::codegen {

namespace {

constexpr bool light = false, heavy = true;
constexpr bool native = false, called = true;

constexpr InstructionFacts table[] = {
#define CATENA_INSTRUCTION(name, operation, cost, weight, text, steps, library) \
    {operation,                                                                 \
     cost,                                                                      \
     weight,                                                                    \
     text,                                                                      \
     std::string_view(#steps) != "no_steps",                                    \
     library ? #name : nullptr},
#include "codegen/kernel/instructions.def"
#undef CATENA_INSTRUCTION
};

}  // namespace

const int instruction_count = int(std::size(table));

const InstructionFacts& facts_of(Instruction instruction) { return table[size_t(instruction)]; }

std::optional<Instruction> instruction_of(std::string_view operation) {
    for (size_t i = 0; i < std::size(table); ++i)
        if (operation == table[i].operation) return Instruction(i);
    return std::nullopt;
}

}  // namespace catena::codegen
