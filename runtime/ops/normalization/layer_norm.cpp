#include "runtime/core/dtype/working_dtype.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/normalization_kernel.h"
#include "runtime/cpu/softmax_kernel.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/normalization/normalization.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

using Span = std::span<const Variable>;

void check_layer_norm_types(const TypeCall& c) {
    const Type& x = c.inputs[0];
    if (x.shape.rank() < 1)  // layer_normalization_c1
        fail<ShapeError>("layer_normalization: x should have rank 1 or more, it is {}",
                         to_string(x));
    if (!is_float(x.dtype))  // layer_normalization_c4
        fail<DtypeError>("layer_normalization: x should be floating point, it is {}", to_string(x));
}

void check_vector(const TypeCall& c, int input, const char* name) {
    const Shape &x = c.inputs[0].shape, &vector = c.inputs[input].shape;
    if (!(vector == Shape{x.back()}))  // layer_normalization_c2
        fail<ShapeError>("layer_normalization: {} should be [{}], it is {} (x {})", name, x.back(),
                         to_string(vector), to_string(x));
    if (!is_float(c.inputs[input].dtype))  // layer_normalization_c3
        fail<DtypeError>("layer_normalization: {} should be floating point, it is {}", name,
                         to_string(c.inputs[input]));
}

Variable last_axis_mean(const Variable& x) {
    return sum(x, Axes{x.rank() - 1}, true) *
           (1.0 / double(std::max<int64_t>(x.shape().back(), 1)));
}

/// x with mean 0 and variance 1 along the last axis, and the factor that was applied.
std::pair<Variable, Variable> normalize(const Variable& x, const Scalar& eps) {
    Variable centred = x - last_axis_mean(x);
    Variable rstd = rsqrt(last_axis_mean(centred * centred) + eps);
    return {centred * rstd, rstd};
}

Variables body(Span v, const Attributes&, std::span<const Scalar> scalars) {
    Dtype dtype = working_dtype(v[0].dtype());
    auto [normal, rstd] = normalize(cast(v[0], dtype), scalars[0]);
    return {cast(normal * cast(v[1], dtype) + cast(v[2], dtype), v[0].dtype())};
}

/// Inputs x, gamma, gy; gradients towards x, gamma and beta.
Variables layer_norm_gradient_body(Span v, const Attributes&, std::span<const Scalar> scalars) {
    Dtype dtype = working_dtype(v[0].dtype());
    auto [normal, rstd] = normalize(cast(v[0], dtype), scalars[0]);
    Variable gy = cast(v[2], dtype), g = gy * cast(v[1], dtype);
    Variable gx = rstd * (g - last_axis_mean(g) - normal * last_axis_mean(g * normal));
    Variable ggamma = gy * normal, gbeta = gy;
    if (gy.rank() > 1) {
        Axes rows;
        for (int i = 0; i + 1 < gy.rank(); ++i) rows.push_back(i);
        ggamma = sum(ggamma, rows);
        gbeta = sum(gbeta, rows);
    }
    return {cast(gx, v[0].dtype()), cast(ggamma, v[1].dtype()), cast(gbeta, v[1].dtype())};
}

void layer_norm_gradient_kernel(const KernelCall& c) {
    Dtype dtype = c.inputs[0].dtype();
    Array gx = working_output(c.outputs[0]);
    Array vector = Array::empty({working_dtype(dtype), c.outputs[1].shape()}, gx.device());
    Array second = Array::empty(vector.type(), gx.device());
    layer_norm_backward(as_working_array(c.inputs[0], dtype), as_working_array(c.inputs[1], dtype),
                        as_working_array(c.inputs[2], dtype), c.scalars[0], gx, vector, second);
    store(gx, c.outputs[0]);
    copy_elements(vector, c.outputs[1]);
    copy_elements(second, c.outputs[2]);
}

const OpDef& op_layer_norm_gx = define_composite({
    .name = "layer_normalization.gx",
    .input_count = 3,
    .output_count = 3,
    .scalar_names = {"eps"},
    .type = [](const TypeCall& c) { return Types{c.inputs[0], c.inputs[1], c.inputs[1]}; },
    .kernel = layer_norm_gradient_kernel,
    .body = layer_norm_gradient_body,
});

const OpDef& op_layer_norm = define_composite({
    .name = "layer_normalization",
    .input_count = 3,
    .scalar_names = {"eps"},
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            check_layer_norm_types(c);
            check_vector(c, 1, "gamma");
            check_vector(c, 2, "beta");
            return Types{c.inputs[0]};
        },
    .kernel =
        [](const KernelCall& c) {
            Dtype dtype = c.inputs[0].dtype();
            Array y = working_output(c.outputs[0]);
            layer_norm_forward(as_working_array(c.inputs[0], dtype),
                               as_working_array(c.inputs[1], dtype),
                               as_working_array(c.inputs[2], dtype), c.scalars[0], y);
            store(y, c.outputs[0]);
        },
    .body = body,
    .gradient =
        [](const GradientCall& c) {
            Variable x = c.x(0), gamma = c.x(1), gy = c.gy();
            const Variable* inputs[] = {&x, &gamma, &gy};
            Scalar eps = c.scalar(0);
            Variables gx =
                apply(op_layer_norm_gx, inputs, known_location(), {}, std::span(&eps, 1));
            gx[2] = cast(gx[2], c.x_type(2).dtype);
            return gx;
        },
    .reads = [](int, int) { return Reads{.inputs = 3}; },
    .onnx = {[](OnnxCall& c) {
                 const Dtype dtype = c.result();
                 return c.node("LayerNormalization",
                               {c.input(0), c.input(1, dtype), c.input(2, dtype)},
                               {{"axis", -1}, {"epsilon", c.scalars[0]}});
             },
             17},
});

const FunctionDef& f_layer_normalization =
    function("layer_normalization(x, gamma, beta, eps=1e-05)", {"x", "gamma", "beta"},
             [](const FunctionArguments& a) {
                 return layer_normalization(a.array("x"), a.array("gamma"), a.array("beta"),
                                            a.number("eps"));
             });

}  // namespace

Variable layer_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                             const Scalar& eps) {
    return call(op_layer_norm, x.location(), {}, {eps}, x, gamma, beta);
}

}  // namespace catena
