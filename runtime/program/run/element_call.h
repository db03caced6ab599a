#pragma once

#include <variant>

#include <fmt/format.h>

#include "runtime/core/array/code_device.h"
#include "runtime/graph/op/op.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// Visits the sizes and attributes that element texts use by name, in the order of the kernel
/// arguments: f(name, values, is_list). The count and the pass's numbers come before, scalars and
/// the site after them.
template <class F>
void for_each_number(const KernelCall& call, F&& f) {
    for (size_t k = 0; k < call.inputs.size(); ++k)
        f(fmt::format("x{}_size", k), call.inputs[k].shape(), true);
    for (size_t k = 0; k < call.outputs.size(); ++k)
        f(fmt::format("y{}_size", k), call.outputs[k].shape(), true);
    for (const Attributes::Entry& entry : call.attributes.entries()) {
        if (const bool* flag = std::get_if<bool>(&entry.value))
            f(std::string(entry.name), Dims{int64_t(*flag)}, false);
        if (const int64_t* number = std::get_if<int64_t>(&entry.value))
            f(std::string(entry.name), Dims{*number}, false);
        if (const Dims* dims = std::get_if<Dims>(&entry.value))
            f(std::string(entry.name), *dims, true);
    }
}

/// A call computed by an op's element texts (runtime/ops/declare/device_form.h), ready to launch.
class ElementCall {
public:
    /// Only types and attributes of `call` are read. `kernels`: the device's, one for each pass.
    ElementCall(const KernelCall& call, const ElementLaunches& launches,
                std::span<const void* const> kernels);

    /// All arrays must be on `device`, and outputs in the order that the kernels write; other
    /// inputs are copied.
    void launch(CodeDevice& device, const KernelCall& call) const;

private:
    struct Pass {
        const void* kernel;
        std::string name;
        int64_t count;
        /// The kernel's numbers, with room for scalars and the site.
        std::vector<int64_t> numbers;
    };
    int threads_;
    int64_t scratch_;
    uint32_t inputs_last_, outputs_last_;
    std::vector<Pass> passes_;
};

}  // namespace catena::program
