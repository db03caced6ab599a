#pragma once

#include <cstdint>
#include <vector>

#include "runtime/cpu/block_kernels.h"
#include "runtime/graph/op.h"

namespace catena {

/// A formula prepared to run in blocks in one type: its nodes in order, each a kernel, and the
/// buffers that hold results between them. Slots are the nodes of the formula.
struct BlockProgram {
    struct Instruction {
        BlockKernels::Operation kernel;
        int32_t to;
        int32_t args[3];  ///< Unused ones repeat the first.
        int32_t arity;
    };
    struct Leaf {
        int32_t slot;
        int32_t number;  ///< Of the input or the scalar.
    };
    struct Literal {
        int32_t slot;
        uint64_t bits;  ///< In the type computed in.
    };
    struct Output {
        int32_t slot;
        bool is_bool;
        bool computed;  ///< By an instruction, and wanted by no earlier output: may be written in
                        ///< place.
    };

    const OpDef* op = nullptr;
    Compute compute{};
    const BlockKernels* kernels = nullptr;
    int slot_count = 0;
    int buffer_count = 0;            ///< Blocks that intermediate results need.
    std::vector<int32_t> buffer_of;  ///< Per slot; -1 for leaves and what depends on scalars alone.
    std::vector<Instruction> prologue;  ///< Of scalars and literals alone: run once.
    std::vector<Instruction> body;
    std::vector<Leaf> inputs;  ///< Only those that are read.
    std::vector<Leaf> scalars;
    std::vector<Literal> literals;
    std::vector<Output> outputs;
    double nanoseconds = 0;  ///< Estimated for each element, on one thread.
};

/// A scalar's bits in the type computed in.
uint64_t literal_bits(double value, Compute compute);

/// The program of a map; made at the first call and kept for registered ops.
const BlockProgram& block_program(const OpDef& op, Compute compute);

}  // namespace catena
