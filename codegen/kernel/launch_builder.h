#pragma once

#include <map>

#include "codegen/kernel/plan.h"

namespace catena::codegen {

/// One launch of a plan, while values of the whole program are copied into it.
class LaunchBuilder {
public:
    explicit LaunchBuilder(const KernelProgram& whole) : whole_(whole) {}

    KernelPlan::Launch launch;
    KernelProgram& program() { return launch.program; }

    int add_input(KernelPlan::Operand from, KernelOperand operand);
    void add_output(KernelPlan::Operand to, int value, KernelOperand operand, std::optional<Combine> accumulate = {});
    int load(int input, Register type);
    /// Maps value `v` of the whole program to `made` of this one.
    void set(int v, int made) { values_[v] = made; }
    /// Value `v` of the whole program was stored by an earlier launch: it is loaded on demand.
    void set_stored(int v, KernelPlan::Operand from, KernelOperand operand) { stored_[v] = {from, std::move(operand)}; }
    /// Copies value `v` of the whole program with its operands; inputs keep the strides of the whole.
    int clone(int v);

private:
    const KernelProgram& whole_;
    std::map<int, int> values_;    ///< Of the whole program -> of this one.
    std::map<int, std::pair<KernelPlan::Operand, KernelOperand>> stored_;
    std::map<int, int> operands_;  ///< Input of the whole program -> of this one.
};

/// The dtype for storing a register type.
Dtype dtype_of_register(Register r);

}  // namespace catena::codegen
