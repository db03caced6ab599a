#include <cmath>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/graph/call/call_changes.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/hooks.h"
#include "runtime/graph/settings/autocast.h"

namespace catena {
namespace {

void check_inputs(const OpCall& call) {
    const OpDef& op = call.op;
    const auto inputs = call.inputs;
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
void check_large_integer(const OpCall& call, const Scalar& number) {
    const OpDef& op = call.op;
    for (const Variable* input : call.inputs)
        if (is_float(input->dtype())) return;
    if (call.inputs.empty() && op.type &&
        is_float(op.type(TypeCall{op, {}, call.attributes})[0].dtype))
        return;
    fail<ValueError>(
        "{}: the integer {:.0f} may be a rounded one: numbers are exact up to 2^53 = {:.0f}; give "
        "it as an array, "
        "Array::scalar(int64_t(...))",
        op.name, number.present(), exact_below);
}

void check_numbers(const OpCall& call) {
    for (const Scalar& number : call.scalars)
        if (number.kind() == Scalar::Kind::integer && std::abs(number.present()) >= exact_below)
            [[unlikely]]
            check_large_integer(call, number);
}

Variables perform(const OpCall& call) {
    const SmallVector<FunctionHook*, 2> hooks(
        function_hooks());  // A hook, or a custom function, may add others.
    for (FunctionHook* hook : hooks) hook->forward_preprocess(call.op, call.inputs);
    Recorder* const recorder = current_recorder();
    Variables outputs = recorder ? recorder->perform(call) : perform_eagerly(call);
    for (FunctionHook* hook : hooks) hook->forward_postprocess(call.op, call.inputs);
    return outputs;
}

}  // namespace

Variables apply(const OpDef& op, std::span<const Variable* const> inputs, const SourceLoc& at,
                const Attributes& attributes, std::span<const Scalar> scalars) try {
    const LocationScope location(at);
    const OpCall call{op, inputs, attributes, scalars};
    check_inputs(call);
    check_numbers(call);
    if (!scalars.empty() && is_noting()) [[unlikely]]
        note_numbers(scalars);
    if (autocast_dtype() != Dtype::float32) [[unlikely]] {
        if (const AutocastInputs taken = autocast_inputs(op, inputs); !taken.empty()) {
            SmallVector<const Variable*, 4> list;
            for (const Variable& input : taken) list.push_back(&input);
            return perform({op, list, attributes, scalars});
        }
    }
    return perform(call);
} catch (const std::bad_alloc&) {
    throw_out_of_memory(op.name);
}

}  // namespace catena
