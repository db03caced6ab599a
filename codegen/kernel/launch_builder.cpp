#include "codegen/kernel/launch_builder.h"

namespace catena::codegen {

int LaunchBuilder::add_input(KernelPlan::Operand from, KernelOperand operand) {
    launch.inputs.push_back(from);
    kernel().inputs.push_back(std::move(operand));
    return int(launch.inputs.size()) - 1;
}

void LaunchBuilder::add_output(KernelPlan::Operand to, int value, KernelOperand operand,
                               std::optional<Combine> accumulate) {
    launch.outputs.push_back(to);
    kernel().add_output(value, std::move(operand), accumulate);
}

int LaunchBuilder::clone(int v) {
    if (auto found = values_.find(v); found != values_.end()) return found->second;
    KernelValue value = whole_.values[v];
    if (auto stored = stored_.find(v); stored != stored_.end())
        return values_[v] =
                   load(add_input(stored->second.first, stored->second.second), value.type);
    if (value.kind == KernelValue::Kind::load) {
        auto [at, is_new] = operands_.try_emplace(value.operand, 0);
        if (is_new)
            at->second = add_input({KernelPlan::Operand::Kind::input, value.operand},
                                   whole_.inputs[value.operand]);
        return values_[v] = load(at->second, value.type);
    }
    for (int& arg : value.args) arg = clone(arg);
    return values_[v] = kernel().add(std::move(value));
}

}  // namespace catena::codegen
