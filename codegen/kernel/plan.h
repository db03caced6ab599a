#pragma once

#include "codegen/kernel/kernel.h"

namespace catena::codegen {

/// A kernel split into launches with enough parallel work each. Values that pass from one to the
/// next live in temporaries.
struct KernelPlan {
    struct Operand {
        enum class Kind : uint8_t { input, output, temporary } kind = Kind::input;
        int index = 0;
    };
    struct Launch {
        Kernel kernel;  ///< The kernel, collapsed.
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
/// The rule by which a target's reductions are split.
struct SplitRule {
    int64_t smallest = 0;      ///< Domains with fewer elements are not split.
    int64_t enough_units = 0;  ///< The number of parallel units from which on nothing is split.
    /// The least number of elements per unit of a split reduction.
    int64_t elements_per_block = 0;
    int64_t most_blocks = 0;
    /// A function that gives the parallel work in one launch of a collapsed kernel.
    int64_t (*units)(const KernelGeometry&) = nullptr;
    /// Whether many columns are summed row after row where that is faster: kernels can add to sums
    /// in memory.
    bool rows_in_order = false;
    /// A function that plans a collapsed kernel with column reductions in a kernel over rows.
    KernelPlan (*columns)(const Kernel&, const SplitRule&) = nullptr;
};
/// Plans the launches of a kernel. Large reductions with few results are split into blocks of a
/// fixed size and a serial combination of the blocks, so that they run in parallel and their result
/// does not depend on the thread count. Column reductions in kernels over rows become accumulations
/// in blocks of rows, and a combination of the blocks.
KernelPlan plan_launches(const Kernel& kernel, const SplitRule& rule);

}  // namespace catena::codegen
