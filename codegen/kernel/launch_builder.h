#pragma once

#include <map>

#include "codegen/kernel/plan.h"

namespace catena::codegen {

/// One launch of a plan, while values of the whole kernel are copied into it.
class LaunchBuilder {
public:
    explicit LaunchBuilder(const Kernel& whole) : whole_(whole) {}

    KernelPlan::Launch launch;
    Kernel& kernel() { return launch.kernel; }

    int add_input(KernelPlan::Operand from, KernelOperand operand);
    void add_output(KernelPlan::Operand to, int value, KernelOperand operand,
                    std::optional<Combine> accumulate = {});
    int load(int input, Register type) { return kernel().load(input, type); }
    /// Maps value `v` of the whole kernel to `made` of this one.
    void set(int v, int made) { values_[v] = made; }
    /// Value `v` of the whole kernel was stored by an earlier launch: it is loaded on demand.
    void set_stored(int v, KernelPlan::Operand from, KernelOperand operand) {
        stored_[v] = {from, std::move(operand)};
    }
    /// Copies value `v` of the whole kernel with its operands; inputs keep the strides of the
    /// whole.
    int clone(int v);

private:
    const Kernel& whole_;
    std::map<int, int> values_;  ///< Of the whole kernel -> of this one.
    std::map<int, std::pair<KernelPlan::Operand, KernelOperand>> stored_;
    std::map<int, int> operands_;  ///< Input of the whole kernel -> of this one.
};

}  // namespace catena::codegen
