#pragma once

#include <vector>

#include "codegen/cpu/kernel.h"

namespace catena::codegen::cpu {

/// Where in the loop nest of a collapsed kernel each value is computed.
///
/// Levels, from the outside: the kernel, the unit (a row, or a block of kept lanes), with kept lanes the chunk of
/// lanes, then the reduced loops. A value's level is the outermost at which its operands are known; its stage is the
/// number of reductions that must have finished before.
struct KernelAnalysis {
    explicit KernelAnalysis(const Kernel& kernel);

    static constexpr int level_kernel = 0, level_unit = 1;
    bool lanes_reduced = false;
    int inner = 0;  ///< The dimension of the lanes.
    std::vector<int> reduced_dims;
    int level_chunk = -1, level_first_reduced = 0, level_last = 0, last_stage = 0;
    std::vector<int> level, stage;     ///< By value.
    std::vector<bool> varying;         ///< Differs from lane to lane.
    std::vector<bool> used_by_lanes;   ///< Some use is a vector.

    const KernelOperand& operand(int o) const { return kernel_.operand(o); }
    int operand_count() const { return kernel_.operand_count(); }
    StrideClass class_of(int o, int dim) const { return stride_class(kernel_, operand(o), dim); }
    int level_of_operand(int o) const;
    /// Whether output `o` varies along a reduced dimension.
    bool is_full_output(int o) const;

    /// The values that stage `stage` computes inside its reduced loops.
    std::vector<int> reductions_of(int stage) const;
    std::vector<int> full_outputs_of(int stage) const;
    /// Values that the loops of a stage read, reductions of earlier stages included; `known` ones are not computed,
    /// so their operands are not needed.
    std::vector<bool> needed_by(int stage, const std::vector<bool>& known) const;

    /// Estimated vector instructions to compute a value from those known outside the innermost loop.
    double cost_of(int value) const;

private:
    int level_of_dim(int dim) const;
    const Kernel& kernel_;
};

/// Values that one stage of a row computes and a later one reads again, where storing the row costs less than
/// recomputing it: the exponentials of a softmax.
struct RowScratch {
    /// By value: the slot it is kept in, or -1; the stage that computes it.
    std::vector<int> slot, from;
    int slots = 0;
    /// The values that stage `stage` loads from the scratch memory.
    std::vector<bool> known_at(int stage) const;
};
RowScratch find_row_scratch(const Kernel& kernel, const KernelAnalysis& analysis);

}  // namespace catena::codegen::cpu
