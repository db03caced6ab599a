#pragma once

#include "runtime/program/kernel_program.h"

namespace catena::codegen {

// What programs are made of is the runtime's.
using namespace program;

/// The same program with dimensions of size 1 dropped and neighbours merged wherever every operand allows. At
/// least one dimension remains.
KernelProgram collapse(const KernelProgram& program);

/// A program cut into launches that each have enough parallel work. Values that pass from one to the next
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
/// When a target wants a reduction cut.
struct SplitRule {
    int64_t smallest = 0;            ///< Elements of the domain below which one launch is best.
    int64_t enough_units = 0;        ///< Units of parallel work from which on nothing is cut.
    int64_t elements_per_block = 0;  ///< What one unit of a cut reduction takes, at least.
    int64_t most_blocks = 0;
    int64_t (*units)(const KernelProgram&) = nullptr;  ///< Parallel work in one launch of a collapsed program.
    /// Plans a collapsed program with reductions of columns beside work on rows.
    KernelPlan (*columns)(const KernelProgram&, const SplitRule&) = nullptr;
};
/// Large reductions with few results are split into blocks of a fixed size and a serial combination of the
/// blocks, so that they run in parallel and their result does not depend on the thread count. Reductions of columns
/// beside work on rows become accumulations in blocks of rows, and the combination of the blocks.
KernelPlan plan_launches(const KernelProgram& program, const SplitRule& rule);

}  // namespace catena::codegen
