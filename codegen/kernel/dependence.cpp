#include "codegen/kernel/dependence.h"

#include <algorithm>

namespace catena::codegen {

using Kind = KernelValue::Kind;

uint32_t Dependence::dims_of(const KernelOperand& operand) {
    uint32_t dims = 0;
    for (int dim = 0; dim < operand.strides.rank(); ++dim)
        dims |= uint32_t(operand.strides[dim] != 0) << dim;
    return dims;
}

Dependence::Dependence(const Kernel& kernel)
    : kernel_(kernel),
      stage_(kernel.values.size(), 0),
      dims_(kernel.values.size(), 0),
      after_columns_(kernel.values.size(), false) {
    const uint32_t all = (uint32_t(1) << kernel.domain.rank()) - 1;
    for (size_t v = 0; v < kernel.values.size(); ++v) {
        const KernelValue& value = kernel.values[v];
        if (value.kind == Kind::load) dims_[v] = dims_of(kernel.inputs[size_t(value.operand)]);
        for (int arg : value.args) {
            stage_[v] = std::max(stage_[v], stage(arg));
            dims_[v] |= dims(arg);
            after_columns_[v] = after_columns_[v] || after_columns(arg);
        }
        if (value.kind == Kind::reduction) {
            stage_[v] += 1;
            dims_[v] = all & ~kernel.reduced;
            after_columns_[v] = after_columns_[v] || value.columns;
        }
        last_stage_ = std::max(last_stage_, stage_[v]);
    }
}

std::vector<int> Dependence::reductions_of(int stage) const {
    std::vector<int> found;
    for (size_t v = 0; v < kernel_.values.size(); ++v)
        if (kernel_.values[v].kind == Kind::reduction && stage_[v] == stage + 1)
            found.push_back(int(v));
    return found;
}

std::vector<int> Dependence::full_outputs_of(int of_stage) const {
    std::vector<int> found;
    for (size_t o = 0; o < kernel_.outputs.size(); ++o)
        if (is_full_output(int(o)) && stage(kernel_.stores[o].value) == of_stage)
            found.push_back(int(o));
    return found;
}

std::vector<bool> Dependence::needed_by(int stage, const std::vector<bool>& known) const {
    std::vector<bool> needed(kernel_.values.size(), false);
    for (int r : reductions_of(stage)) needed[size_t(kernel_.values[size_t(r)].args[0])] = true;
    for (int o : full_outputs_of(stage)) needed[size_t(kernel_.stores[size_t(o)].value)] = true;
    add_operands(kernel_, needed, [&](int v) {
        return known[size_t(v)] || kernel_.values[size_t(v)].kind == Kind::reduction;
    });
    return needed;
}

bool sweeps_once(const Kernel& kernel) {
    const Dependence dependence(kernel);
    for (size_t v = 0; v < kernel.values.size(); ++v)
        if (kernel.values[v].kind == Kind::reduction && dependence.stage(int(v)) > 1) return false;
    for (size_t o = 0; o < kernel.outputs.size(); ++o)
        if (dependence.is_full_output(int(o)) && dependence.stage(kernel.stores[o].value) > 0)
            return false;
    return true;
}

}  // namespace catena::codegen
