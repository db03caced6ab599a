#include <cmath>
#include <optional>

#include "runtime/core/array/device.h"
#include "runtime/core/array/pending.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/memory/reused_vector.h"
#include "runtime/graph/autocast.h"
#include "runtime/graph/call_changes.h"
#include "runtime/graph/call_types.h"
#include "runtime/graph/check_nan.h"
#include "runtime/graph/config.h"
#include "runtime/graph/hooks.h"
#include "runtime/graph/node.h"
#include "runtime/graph/recorder.h"
#include "runtime/graph/user_function.h"

namespace catena {
namespace {

using Inputs = std::span<const Variable* const>;

Device& device_of_inputs(const OpDef& op, Inputs inputs, const Recorder* recorder) {
    if (recorder && recorder->shape_only()) return meta_device();
    if (inputs.empty()) return current_device();
    Device* device = &inputs[0]->device();
    for (const Variable* input : inputs) {
        Device& other = input->device();
        if (&other == device || other.is_meta() || device->is_meta()) {
            if (other.is_meta()) device = &other;
            continue;
        }
        fail<DeviceError>("{}: arrays of {} and {} are mixed; move them to one device first",
                          op.name, device->name(), other.name());
    }
    return *device;
}

void check_inputs(const OpDef& op, Inputs inputs) {
    if (op.input_count >= 0 && size_t(op.input_count) != inputs.size())
        throw InternalError(
            fmt::format("{} takes {} arrays, {} given", op.name, op.input_count, inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i]->defined())
            fail<ValueError>(
                "{}: input {} holds no array: it is an undefined Variable; make it of one, "
                "Variable x(array), and begin a "
                "sum with its first term, loss = l",
                op.name, i);
        if (!inputs[i]->array().defined())
            fail<ValueError>(
                "{}: input {} holds no array; an uninitialised parameter gets one by "
                "initialize(shape) or at "
                "its link's first call",
                op.name, i);
    }
}

constexpr double exact_below = 0x1p53;

/// A number is float64 on its way to the elements: an integer from 2^53 on may have been rounded to
/// another one, which only floats take for the same.
void check_large_integer(const OpDef& op, Inputs inputs, const Attributes& attributes,
                         const Scalar& number) {
    for (const Variable* input : inputs)
        if (is_float(input->dtype())) return;
    if (inputs.empty() && op.type && is_float(op.type(TypeCall{op, {}, attributes})[0].dtype))
        return;
    fail<ValueError>(
        "{}: the integer {:.0f} may be a rounded one: numbers are exact up to 2^53 = {:.0f}; give "
        "it as an array, "
        "Array::scalar(int64_t(...))",
        op.name, number.present(), exact_below);
}

void check_numbers(const OpDef& op, Inputs inputs, const Attributes& attributes,
                   std::span<const Scalar> numbers) {
    for (const Scalar& number : numbers)
        if (number.kind() == Scalar::Kind::integer && std::abs(number.present()) >= exact_below)
            [[unlikely]]
            check_large_integer(op, inputs, attributes, number);
}

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

Variables run_body(const OpDef& op, Inputs inputs, const Attributes& attributes,
                   std::span<const Scalar> scalars) {
    auto mode = using_config(&Config::enable_backprop, config().enable_backprop && !op.gradient);
    // What has a kernel or a gradient of its own computes in the dtypes that those expect.
    const AutocastScope casting(op.kernel || op.gradient ? Dtype::float32 : autocast_dtype());
    ReusedVector<Variable> values;
    for (const Variable* input : inputs) values.push_back(*input);
    Variables outputs = op.body(values, attributes, scalars);
    if (op.gradient)  // The node belongs to the composite; an output must not be an input itself.
        for (Variable& y : outputs) y = Variable(y.array(), false);
    return outputs;
}

Variables run_kernel(const OpDef& op, Inputs inputs, const Attributes& attributes,
                     std::span<const Scalar> scalars, const Recorder* recorder) {
    Device& device = device_of_inputs(op, inputs, recorder);
    Types types = call_types(op, inputs, attributes);
    SmallVector<Array, 4> arrays;
    for (const Variable* input : inputs) arrays.push_back(input->array());
    SmallVector<double, 4> values;
    if (!device.is_meta())
        for (const Scalar& s : scalars) values.push_back(s.value());
    Arrays results = compute(op, arrays, types, device, attributes, values);
    if (config().debug) check_nan(op, results);
    Variables outputs;
    for (Array& y : results) outputs.emplace_back(std::move(y), false);
    return outputs;
}

Variables apply_to(const OpDef& op, Inputs inputs, const Attributes& attributes,
                   std::span<const Scalar> scalars) {
    const SmallVector<FunctionHook*, 2> hooks(
        function_hooks());  // A hook, or a custom function, may add others.
    for (FunctionHook* hook : hooks) hook->forward_preprocess(op, inputs);

    Recorder* recorder = current_recorder();
    Variables outputs;
    const bool whole = recorder && (!op.body || recorder->takes_whole(op));
    const bool deferred = recorder && recorder->defers();
    const bool is_composite = op.body && (!op.kernel || (recorder && !whole));
    if (deferred && recorder->follow(op, inputs, attributes, scalars, outputs)) {
        // The results are known, and of a composite what its body would do.
    } else if (is_composite) {
        const UserFunctionScope function(op);
        if (op.type) call_types(op, inputs, attributes);  // Type errors should name the composite.
        std::optional<RecorderScope> unseen;
        if (whole) unseen.emplace(nullptr);
        std::optional<FunctionHooksPaused> unheard;  // In eager code this is one kernel.
        if (deferred && op.kernel && !hooks.empty()) unheard.emplace();
        if (deferred) recorder->composite_begins(op, inputs, attributes, scalars);
        try {
            outputs = run_body(op, inputs, attributes, scalars);
        } catch (...) {  // The user's code may catch it and go on.
            if (deferred) recorder->composite_ends({});
            throw;
        }
        if (deferred) recorder->composite_ends(outputs);
    } else if (deferred) {
        const Types types = call_types(op, inputs, attributes);
        for (const Type& type : types) byte_count(type);  // Refuses what no array can be.
        outputs = recorder->extend(op, inputs, attributes, scalars, types,
                                   device_of_inputs(op, inputs, recorder));
    } else {
        outputs = run_kernel(op, inputs, attributes, scalars, recorder);
    }
    if (whole && !deferred)
        recorder->saw(op, inputs, outputs, attributes, scalars, current_location());
    if (op.gradient) {
        Node* node = attach_node(op, inputs, outputs, attributes, scalars);
        if (node && deferred) recorder->attached(*node, inputs);
    } else if (!op.body && op.kind != Kind::map) {  // What is constant in pieces ends nothing.
        end_graph(op, inputs, outputs);
    }

    for (FunctionHook* hook : hooks) hook->forward_postprocess(op, inputs);
    return outputs;
}

}  // namespace

Variables apply(const OpDef& op, Inputs inputs, const SourceLoc& at, const Attributes& attributes,
                std::span<const Scalar> scalars) try {
    LocationScope location(at);
    check_inputs(op, inputs);
    check_numbers(op, inputs, attributes, scalars);
    if (!scalars.empty() && is_noting()) [[unlikely]]
        note_numbers(scalars);
    if (autocast_dtype() != Dtype::float32) [[unlikely]] {
        if (const AutocastInputs taken = autocast_inputs(op, inputs); !taken.empty()) {
            SmallVector<const Variable*, 4> list;
            for (const Variable& input : taken) list.push_back(&input);
            return apply_to(op, list, attributes, scalars);
        }
    }
    return apply_to(op, inputs, attributes, scalars);
} catch (const std::bad_alloc&) {
    throw_out_of_memory(op.name);
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
