#include "codegen/kernel/kernel.h"

#include <algorithm>

namespace catena::codegen {

int Kernel::add(KernelValue value) {
    auto found = std::find(values.begin(), values.end(), value);
    if (found != values.end()) return int(found - values.begin());
    values.push_back(std::move(value));
    return int(values.size()) - 1;
}

int Kernel::load(int input, Register type) {
    return add({.kind = KernelValue::Kind::load, .type = type, .operand = input});
}

void Kernel::add_output(int value, KernelOperand to, std::optional<Combine> accumulate) {
    outputs.push_back(std::move(to));
    stores.push_back({value, accumulate});
}

void become_element(KernelValue& reduction) {
    reduction = {.kind = KernelValue::Kind::convert,
                 .type = reduction.type,
                 .args = std::vector<int>(reduction.args)};
}

Kernel copying_kernel(KernelGeometry geometry) {
    Kernel kernel{std::move(geometry), {}, {}};
    kernel.stores.push_back({kernel.load(0, natural_register(kernel.inputs[0].dtype)), {}});
    return kernel;
}

}  // namespace catena::codegen
