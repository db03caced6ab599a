#pragma once

#include "runtime/program/kernel_program.h"

namespace catena::codegen {

// The types of programs are declared in the runtime.
using namespace program;

/// Makes the channels the innermost dimension where an operand that spans the domain has its channels last and every result
/// can be stored so.
void walk_channels_last(KernelProgram& program);

/// The same program with dimensions of size 1 dropped and neighbours merged wherever every operand allows. At
/// least one dimension remains.
KernelProgram collapse(const KernelProgram& program);

/// A program split into launches with enough parallel work each. Values that pass from one to the next
/// live in temporaries.
struct KernelPlan {
    struct Operand {
        enum class Kind : uint8_t { input, output, temporary } kind = Kind::input;
        int index = 0;
    };
    struct Launch {
        KernelProgram program;  ///< Collapsed.
        std::vector<Operand> inputs;
        std::vector<Operand> outputs;
    };
    struct Temporary {
        Dtype dtype{};
        int64_t elements = 0;
    };
    std::vector<Launch> launches;
    std::vector<Temporary> temporaries;
};
/// When reductions are split for a target.
struct SplitRule {
    int64_t smallest = 0;            ///< Domains with fewer elements are not split.
    int64_t enough_units = 0;        ///< With this many parallel units nothing is split.
    int64_t elements_per_block = 0;  ///< Minimal elements per unit of a split reduction.
    int64_t most_blocks = 0;
    int64_t (*units)(const KernelProgram&) = nullptr;  ///< Parallel work in one launch of a collapsed program.
    /// Plans a collapsed program with column reductions in a kernel over rows.
    KernelPlan (*columns)(const KernelProgram&, const SplitRule&) = nullptr;
};
/// Large reductions with few results are split into blocks of a fixed size and a serial combination of the
/// blocks, so that they run in parallel and their result does not depend on the thread count. Column reductions in
/// kernels over rows become accumulations in blocks of rows, and a combination of the blocks.
KernelPlan plan_launches(const KernelProgram& program, const SplitRule& rule);

}  // namespace catena::codegen
