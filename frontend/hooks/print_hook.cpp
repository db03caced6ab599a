#include "frontend/hooks/print_hook.h"

#include <iostream>

#include "runtime/core/array/device.h"

namespace catena {

PrintHook::PrintHook(bool elements) : PrintHook(std::cout, elements) {}

void PrintHook::print(const char* what, size_t number, const Variable& value) {
    out_ << fmt::format("  {} {}: ", what, number);
    if (!value.defined())
        out_ << "none";
    else
        out_ << (value.name().empty() ? "" : value.name() + " ")
             << (elements_ ? to_string(value.array())
                           : to_string(value.type()) + " on " + value.device().name());
    out_ << '\n';
}

void PrintHook::forward_preprocess(const OpDef& op, std::span<const Variable* const> inputs) {
    out_ << op.name << '\n';
    for (size_t i = 0; i < inputs.size(); ++i) print("input", i, *inputs[i]);
}

void PrintHook::backward_preprocess(const OpDef& op, std::span<const Array> inputs,
                                    std::span<const Variable> grad_outputs) {
    out_ << "backward of " << op.name << '\n';
    for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].defined()) print("input", i, inputs[i]);
    for (size_t i = 0; i < grad_outputs.size(); ++i)
        print("gradient of output", i, grad_outputs[i]);
}

}  // namespace catena
