#pragma once

#include <cstdint>
#include <vector>

#include "runtime/cpu/blocks/block_kernels.h"
#include "runtime/graph/op/op.h"

namespace catena {

/// A formula prepared to run in blocks in one type: its nodes in order, each a kernel, and the
/// buffers that hold results between them. Slots are the nodes of the formula.
struct BlockProgram {
    struct Instruction {
        BlockKernels::Operation kernel;
        int32_t to;
        int32_t args[3];  ///< Slots of the arguments; unused ones repeat the first.
        int32_t arity;
    };
    struct Leaf {
        int32_t slot;
        int32_t number;  ///< The number of the input or of the scalar.
    };
    struct Literal {
        int32_t slot;
        uint64_t bits;  ///< The value's bits, in the type computed in.
    };
    struct Output {
        int32_t slot;
        bool is_bool;
        /// True if an instruction computes the slot and no earlier output reads it, so that it may
        /// be written in place.
        bool computed;
    };

    const OpDef* op = nullptr;
    Compute compute{};
    const BlockKernels* kernels = nullptr;
    int slot_count = 0;
    int buffer_count = 0;  ///< The number of blocks that intermediate results need.
    /// The buffer of each slot; -1 for leaves and values that depend on scalars alone.
    std::vector<int32_t> buffer_of;
    /// Instructions on scalars and literals alone, which run once.
    std::vector<Instruction> prologue;
    std::vector<Instruction> body;
    std::vector<Leaf> inputs;  ///< The inputs that are read.
    std::vector<Leaf> scalars;
    std::vector<Literal> literals;
    std::vector<Output> outputs;
    double nanoseconds = 0;  ///< Estimated nanoseconds for each element, on one thread.
};

/// A scalar's bits in the type computed in.
uint64_t literal_bits(double value, Compute compute);

/// The program of a map; made at the first call and stored for registered ops.
const BlockProgram& block_program(const OpDef& op, Compute compute);

}  // namespace catena
