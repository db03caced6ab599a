#include "runtime/graph/call/eager.h"

#include <algorithm>

#include "runtime/core/array/device.h"
#include "runtime/core/array/pending.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/memory/reused_vector.h"
#include "runtime/core/memory/uncounted.h"
#include "runtime/graph/call/check_nan.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/op/call_types.h"
#include "runtime/graph/op/user_function.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

Array make_output(const OpDef& op, const Type& type, Device& device) {
    try {
        return Array::empty(type, device);
    } catch (const OutOfMemory& error) {
        throw OutOfMemory(
            fmt::format("{}: its result {} on {}", op.name, to_string(type), device.name()),
            error.bytes, error.held);
    }
}

Arrays compute(const OpDef& op, std::span<const Array> inputs, std::span<const Type> types,
               Device& device, const Attributes& attributes, std::span<const double> scalars) {
    Arrays outputs;
    if (op.view && &inputs[0].device() == &device) {
        Array view = op.view(inputs[0], attributes);
        if (view.defined()) {
            outputs.push_back(std::move(view));
            return outputs;
        }
    }
    for (const Array& input : inputs)
        if (Pending* pending = input.body()->pending; pending && !device.is_meta())
            pending->force(*input.body());
    for (const Type& type : types) outputs.push_back(make_output(op, type, device));
    if (!device.is_meta()) device.launch(KernelCall{op, inputs, outputs, attributes, scalars});
    return outputs;
}

/// Whether a kernel may take so long that, while it runs, other threads give a variable another
/// array or update it in place. They must then see that the array is read.
bool is_long(const OpCall& call) {
    constexpr size_t long_bytes = 1 << 16;
    return std::ranges::any_of(call.inputs, [](const Variable* input) {
        return input->body()->array.storage()->bytes >= long_bytes;
    });
}

}  // namespace

Device& call_device(const OpCall& call) {
    if (call.inputs.empty()) return current_device();
    Device* device = &call.inputs[0]->device();
    for (const Variable* input : call.inputs) {
        Device& other = input->device();
        if (&other == device || other.is_meta() || device->is_meta()) {
            if (other.is_meta()) device = &other;
            continue;
        }
        fail<DeviceError>("{}: arrays of {} and {} are mixed; move them to one device first",
                          call.op.name, device->name(), other.name());
    }
    return *device;
}

Variables run_kernel(const OpCall& call, Device& device) {
    const Types types = call_types(call);
    SmallVector<double, 4> values;
    if (!device.is_meta())
        for (const Scalar& s : call.scalars) values.push_back(s.value());
    const auto results_of = [&](std::span<const Array> arrays) {
        return compute(call.op, arrays, types, device, call.attributes, values);
    };
    Arrays results;
    if (is_long(call)) {
        SmallVector<Array, 4> arrays;
        for (const Variable* input : call.inputs) arrays.push_back(input->array());
        results = results_of(arrays);
    } else {  // The variables keep their arrays: kernels are given arrays only, and replace none.
        results = results_of(Uncounted<Array, 4>(
            call.inputs.size(), [&](size_t i) { return call.inputs[i]->body()->array.body(); }));
    }
    if (config().debug) check_nan(call.op, results);
    Variables outputs;
    for (Array& y : results) outputs.emplace_back(std::move(y), false);
    return outputs;
}

void check_composite(const OpCall& call) {
    if (call.op.type) call_types(call);
}

Variables run_body(const OpCall& call) {
    const OpDef& op = call.op;
    const UserFunctionScope function(op);
    auto mode = using_config(&Config::enable_backprop, config().enable_backprop && !op.gradient);
    // What has a kernel or a gradient of its own computes in the dtypes that those expect.
    const AutocastScope casting(op.kernel || op.gradient ? Dtype::float32 : autocast_dtype());
    ReusedVector<Variable> values;
    for (const Variable* input : call.inputs) values.push_back(*input);
    Variables outputs = op.body(values, call.attributes, call.scalars);
    if (op.gradient)  // The node belongs to the composite; an output must not be an input itself.
        for (Variable& y : outputs) y = Variable(y.array(), false);
    return outputs;
}

Node* connect(const OpCall& call, std::span<Variable> outputs) {
    if (call.op.gradient) return attach_node(call, outputs);
    if (!call.op.body && call.op.kind != Kind::map)  // What is constant in pieces ends nothing.
        end_graph(call, outputs);
    return nullptr;
}

Variables perform_eagerly(const OpCall& call) {
    Variables outputs;
    if (call.op.body && !call.op.kernel) {
        check_composite(call);
        outputs = run_body(call);
    } else {
        outputs = run_kernel(call, call_device(call));
    }
    connect(call, outputs);
    return outputs;
}

Arrays run_kernel(const OpDef& op, std::span<const Array> inputs, const Attributes& attributes,
                  std::span<const double> scalars) try {
    SmallVector<Type, 4> types;
    for (const Array& input : inputs) types.push_back(input.type());
    Types results = call_types(TypeCall{op, types, attributes});
    Device& device = inputs.empty() ? current_device() : inputs[0].device();
    return compute(op, inputs, results, device, attributes, scalars);
} catch (const std::bad_alloc&) {
    throw_out_of_memory(op.name);
}

}  // namespace catena
