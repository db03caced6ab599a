#pragma once

#include <optional>

#include "codegen/kernel/instruction.h"
#include "runtime/scalar/math.h"

namespace catena::codegen {

template <class Ops, class F>
std::optional<F> no_steps(const Ops&, const F&) {
    return std::nullopt;
}

/// Computes `instruction` of a float32 by the steps of runtime/scalar/math.h on the machine `ops`;
/// nothing if it has none.
template <class Ops, class F>
std::optional<F> take_steps(const Ops& ops, Instruction instruction, F x) {
    switch (instruction) {
#define CATENA_INSTRUCTION(name, operation, cost, weight, text, steps, library) \
    case Instruction::name:                                                     \
        return steps(ops, x);
#include "codegen/kernel/instructions.def"
#undef CATENA_INSTRUCTION
    }
    return std::nullopt;
}

}  // namespace catena::codegen
