#include "runtime/ops/activation/softmax.h"

#include "runtime/core/system/error.h"
#include "runtime/cpu/softmax_kernel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

using Span = std::span<const Variable>;

Types like_float_input(const TypeCall& c) {
    if (!is_float(c.inputs[0].dtype))  // softmax_c1
        fail<DtypeError>("{}: takes floating point values, x is {}", c.op.name,
                         to_string(c.inputs[0]));
    return {c.inputs[0]};
}

int axis_of(const Attributes& attributes) { return int(attributes.integer("axis")); }

// Bodies work in the dtype that the kernels work in.

/// x less its largest element along the axis; there is none along an empty one.
Variable below_largest(const Variable& x, const Axes& axis) {
    return x.shape()[int(axis[0])] == 0 ? x : x - max(x, axis, true);
}

Variables softmax_body(Span v, const Attributes& attributes, std::span<const Scalar>) {
    Axes axis{axis_of(attributes)};
    const Variable x = widened(v[0]);
    Variable e = exp(below_largest(x, axis));
    return {cast(e / sum(e, axis, true), v[0].dtype())};
}

Variables log_softmax_body(Span v, const Attributes& attributes, std::span<const Scalar>) {
    Axes axis{axis_of(attributes)};
    const Variable x = widened(v[0]);
    Variable shifted = below_largest(x, axis);
    return {cast(shifted - log(sum(exp(shifted), axis, true)), v[0].dtype())};
}

Variables softmax_gradient_body(Span v, const Attributes& attributes, std::span<const Scalar>) {
    const Variable y = widened(v[0]), gy = widened(v[1]);
    return {cast(y * (gy - sum(gy * y, Axes{axis_of(attributes)}, true)), v[0].dtype())};
}

Variables log_softmax_gradient_body(Span v, const Attributes& attributes, std::span<const Scalar>) {
    const Variable y = widened(v[0]), gy = widened(v[1]);
    return {cast(gy - exp(y) * sum(gy, Axes{axis_of(attributes)}, true), v[0].dtype())};
}

void run_forward(const KernelCall& c, bool log) {
    Array x = as_working_array(c.inputs[0], c.inputs[0].dtype());
    Array y = working_output(c.outputs[0]);
    softmax_forward(x, y, axis_of(c.attributes), log);
    store(y, c.outputs[0]);
}

void run_gradient(const KernelCall& c, bool log) {
    Dtype dtype = c.outputs[0].dtype();
    Array gx = working_output(c.outputs[0]);
    softmax_backward(as_working_array(c.inputs[0], dtype), as_working_array(c.inputs[1], dtype), gx,
                     axis_of(c.attributes), log);
    store(gx, c.outputs[0]);
}

const OpDef& define_softmax_gradient(const char* name, bool log) {
    return define_composite({
        .name = name,
        .input_count = 2,
        .type = like_float_input,
        .kernel = [log](const KernelCall& c) { run_gradient(c, log); },
        .body = log ? log_softmax_gradient_body : softmax_gradient_body,
    });
}

const OpDef& define_softmax(const char* name, bool log, const OpDef& gradient, const char* onnx) {
    return define_composite({
        .name = name,
        .differentiable = true,
        .type = like_float_input,
        .kernel = [log](const KernelCall& c) { run_forward(c, log); },
        .body = log ? log_softmax_body : softmax_body,
        .gradient =
            [&gradient](const GradientCall& c) {
                return Variables{
                    call(gradient, known_location(), c.attributes(), {}, c.y(), c.gy())};
            },
        .reads = [](int, int) { return Reads{.outputs = 1}; },
        .onnx =
            [onnx](OnnxCall& c) {
                return c.node(onnx, {c.input(0)}, {{"axis", c.attributes.integer("axis")}});
            },
        .declared = {in_autocast(Autocast::wide)},
    });
}

const OpDef& op_softmax_gx = define_softmax_gradient("softmax.gx", false);
const OpDef& op_log_softmax_gx = define_softmax_gradient("log_softmax.gx", true);
const OpDef& op_softmax = define_softmax("softmax", false, op_softmax_gx, "Softmax");
const OpDef& op_log_softmax = define_softmax("log_softmax", true, op_log_softmax_gx, "LogSoftmax");

Variable along_axis(const OpDef& op, const Operand& x, int64_t axis) {
    LocationScope scope(x.location());
    int normalized = normalize_axis(op.name.c_str(), axis, x.variable().rank());
    return call(op, x.location(), {{"axis", int64_t(normalized)}}, {}, x);
}

const FunctionDef& f_softmax =
    function("softmax(x, axis=1)", {"x"},
             [](const FunctionArguments& a) { return softmax(a.array("x"), a.integer("axis")); });
const FunctionDef& f_log_softmax = function(
    "log_softmax(x, axis=1)", {"x"},
    [](const FunctionArguments& a) { return log_softmax(a.array("x"), a.integer("axis")); });

}  // namespace

Variable functions::Softmax::operator()(const Operand& x, int64_t axis) const {
    return along_axis(op_softmax, x, axis);
}
Variable functions::LogSoftmax::operator()(const Operand& x, int64_t axis) const {
    return along_axis(op_log_softmax, x, axis);
}

}  // namespace catena
