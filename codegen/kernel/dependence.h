#pragma once

#include <vector>

#include "codegen/kernel/kernel.h"

namespace catena::codegen {

/// Finds on which loops and reductions each value of a kernel depends.
///
/// Its stage is the number of reductions that must have finished before it is known: stage 0 is
/// computed in the first loop over the reduced dimensions, stage 1 in the next. A value varies
/// along the dimensions that its loads vary along; a reduction, along all kept ones.
class Dependence {
public:
    explicit Dependence(const Kernel& kernel);

    int stage(int value) const { return stage_[size_t(value)]; }
    int last_stage() const { return last_stage_; }
    /// The dimensions along which the value differs: bit d for dimension d.
    uint32_t dims(int value) const { return dims_[size_t(value)]; }
    /// Whether the value differs from element to element of the innermost dimension.
    bool varying(int value) const { return dims(value) >> kernel_.inner() & 1; }
    /// Whether the value can be computed only after a column reduction.
    bool after_columns(int value) const { return after_columns_[size_t(value)]; }

    /// Whether output `o` varies along a reduced dimension: it is stored inside the loops over
    /// them.
    bool is_full_output(int o) const {
        return dims_of(kernel_.outputs[size_t(o)]) & kernel_.reduced;
    }
    /// The reductions that the loops of a stage compute, and the full outputs that they store.
    std::vector<int> reductions_of(int stage) const;
    std::vector<int> full_outputs_of(int stage) const;
    /// The values that the loops of a stage read, reductions of earlier stages included. Those in
    /// `known` are not computed, so their operands are not needed.
    std::vector<bool> needed_by(int stage, const std::vector<bool>& known) const;

    /// The dimensions along which the operand differs: bit d for dimension d.
    static uint32_t dims_of(const KernelOperand& operand);

private:
    const Kernel& kernel_;
    std::vector<int> stage_;
    std::vector<uint32_t> dims_;
    std::vector<bool> after_columns_;
    int last_stage_ = 0;
};

/// Adds to `needed` the operands of needed values, and theirs, but not those of values that `ends`
/// accepts.
template <class Ends>
void add_operands(const Kernel& kernel, std::vector<bool>& needed, Ends ends) {
    for (size_t v = needed.size(); v-- > 0;)
        if (needed[v] && !ends(int(v)))
            for (int arg : kernel.values[v].args) needed[size_t(arg)] = true;
}

/// Whether every element is visited once: nothing full or reduced depends on a reduction.
bool sweeps_once(const Kernel& kernel);

}  // namespace catena::codegen
