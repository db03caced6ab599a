#pragma once

#include <map>

#include "codegen/kernel/plan.h"

namespace catena::codegen {

/// Builds one launch of a plan, by copying values of the whole kernel into it.
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
    /// Copies value `v` of the whole kernel with its operands; inputs keep their strides.
    int clone(int v);

private:
    const Kernel& whole_;
    /// For each copied value of the whole kernel, the value of this one.
    std::map<int, int> values_;
    std::map<int, std::pair<KernelPlan::Operand, KernelOperand>> stored_;
    /// For each copied input of the whole kernel, the input of this one.
    std::map<int, int> operands_;
};

}  // namespace catena::codegen
