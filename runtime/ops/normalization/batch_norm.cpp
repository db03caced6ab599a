#include <algorithm>

#include "runtime/core/dtype/working_dtype.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/normalization_kernel.h"
#include "runtime/cpu/softmax_kernel.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/library_role.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/normalization/normalization.h"
#include "runtime/ops/normalization/statistics.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

using Span = std::span<const Variable>;

/// The factor from a sum to a mean; infinite without elements, so that their mean is NaN.
double mean_factor(const Shape& x, const Axes& axis) { return 1.0 / count_of(x, axis); }

/// x as [outer, keys, inner]; false when the key axes are not neighbours.
bool find_view(const Shape& x, const Axes& axis, KeyView& view) {
    view = {1, 1, 1};
    int i = 0;
    for (; i < x.rank() && axis.contains(i); ++i) view.outer *= x[i];
    for (; i < x.rank() && !axis.contains(i); ++i) view.keys *= x[i];
    for (; i < x.rank() && axis.contains(i); ++i) view.inner *= x[i];
    return i == x.rank();
}

/// Runs the op's body instead of a kernel, for axes without a kernel.
void run_body(const KernelCall& c) {
    RecorderScope unseen(nullptr);
    auto mode = no_backprop_mode();
    SmallVector<Variable, 5> inputs;
    for (const Array& input : c.inputs) inputs.emplace_back(input, false);
    SmallVector<Scalar, 1> scalars;
    for (double s : c.scalars) scalars.push_back(s);
    Variables results = c.op.body(inputs, c.attributes, scalars);
    for (size_t i = 0; i < results.size(); ++i) copy_elements(results[i].array(), c.outputs[i]);
}

Variables forward_body(Span v, const Attributes& attributes, std::span<const Scalar> scalars) {
    const Axes& axis = attributes.dims("axis");
    Dtype dtype = working_dtype(v[0].dtype());
    Variable x = cast(v[0], dtype);
    Shape keys = expanded(x.shape(), axis), flat = key_shape(x.shape(), axis);
    double factor = mean_factor(x.shape(), axis);
    Variable mean = sum(x, axis, true) * factor;
    Variable centred = x - mean;
    Variable variance = sum(centred * centred, axis, true) * factor;
    Variable gamma = reshape(cast(v[1], dtype), keys), beta = reshape(cast(v[2], dtype), keys);
    Variable y = centred * (rsqrt(variance + scalars[0]) * gamma) + beta;
    return {cast(y, v[0].dtype()), reshape(mean, flat), reshape(variance, flat)};
}

/// Inputs x, gamma, mean, variance, gy; gradients towards x, gamma and beta.
Variables batch_norm_gradient_body(Span v, const Attributes& attributes,
                                   std::span<const Scalar> scalars) {
    const Axes& axis = attributes.dims("axis");
    Dtype dtype = working_dtype(v[0].dtype());
    Variable x = cast(v[0], dtype), gy = cast(v[4], dtype);
    Shape keys = expanded(x.shape(), axis), flat = key_shape(x.shape(), axis);
    double factor = mean_factor(x.shape(), axis);
    Variable rstd = rsqrt(reshape(v[3], keys) + scalars[0]);
    Variable normal = (x - reshape(v[2], keys)) * rstd;
    Variable gbeta = sum(gy, axis, true), ggamma = sum(gy * normal, axis, true);
    Variable gx = (reshape(cast(v[1], dtype), keys) * rstd) *
                  (gy - gbeta * factor - normal * (ggamma * factor));
    return {cast(gx, v[0].dtype()), cast(reshape(ggamma, flat), v[1].dtype()),
            cast(reshape(gbeta, flat), v[1].dtype())};
}

void check_batch_norm_types(const TypeCall& c) {
    const Type& x = c.inputs[0];
    check_float("batch_normalization", "x", x);  // batch_normalization_c1
    Shape keys = key_shape(x.shape, c.attributes.dims("axis"));
    const char* names[] = {"gamma", "beta"};
    for (int i = 0; i < 2; ++i) {
        const Type& each = c.inputs[i + 1];
        if (!(each.shape == keys))  // batch_normalization_c2
            fail<ShapeError>("batch_normalization: {} should be {}, it is {} (x {}, axis {})",
                             names[i], to_string(keys), to_string(each.shape), to_string(x.shape),
                             to_string(c.attributes.dims("axis")));
        if (!is_float(each.dtype))  // batch_normalization_c3
            fail<DtypeError>("batch_normalization: {} should be floating point, it is {}", names[i],
                             to_string(each));
    }
}

void forward_kernel(const KernelCall& c) {
    KeyView view;
    if (!find_view(c.inputs[0].shape(), c.attributes.dims("axis"), view)) return run_body(c);
    Dtype dtype = c.inputs[0].dtype();
    Array y = working_output(c.outputs[0]);
    batch_norm_forward(view, as_working_array(c.inputs[0], dtype),
                       as_working_array(c.inputs[1], dtype), as_working_array(c.inputs[2], dtype),
                       c.scalars[0], y, c.outputs[1], c.outputs[2]);
    store(y, c.outputs[0]);
}

void batch_norm_gradient_kernel(const KernelCall& c) {
    KeyView view;
    if (!find_view(c.inputs[0].shape(), c.attributes.dims("axis"), view)) return run_body(c);
    Dtype dtype = c.inputs[0].dtype();
    Array gx = working_output(c.outputs[0]);
    Array ggamma = Array::empty({working_dtype(dtype), c.outputs[1].shape()}, gx.device());
    Array gbeta = Array::empty(ggamma.type(), gx.device());
    batch_norm_backward(view, as_working_array(c.inputs[0], dtype),
                        as_working_array(c.inputs[1], dtype), as_working_array(c.inputs[2], dtype),
                        as_working_array(c.inputs[3], dtype), as_working_array(c.inputs[4], dtype),
                        c.scalars[0], gx, ggamma, gbeta);
    store(gx, c.outputs[0]);
    copy_elements(ggamma, c.outputs[1]);
    copy_elements(gbeta, c.outputs[2]);
}

const OpDef& op_batch_norm_gx = define_composite({
    .name = "batch_normalization.gx",
    .input_count = 5,
    .output_count = 3,
    .scalar_names = {"eps"},
    .type = [](const TypeCall& c) { return Types{c.inputs[0], c.inputs[1], c.inputs[1]}; },
    .kernel = batch_norm_gradient_kernel,
    .body = batch_norm_gradient_body,
    .declared = {library_role(LibraryRole::batch_normalization_gradient)},
});

/// The gradient of x through the statistics, used only by gradients of gradients.
Variable through_statistics(const GradientCall& c, const Variable& x, const Variable& mean) {
    const Axes& axis = c.attributes().dims("axis");
    Shape keys = expanded(x.shape(), axis);
    double factor = mean_factor(x.shape(), axis);
    Variable wide = cast(x, mean.dtype());
    Variable to_mean = reshape(c.gy(1), keys) * factor;
    Variable to_variance = reshape(c.gy(2), keys) * (2.0 * factor);
    return cast((wide - reshape(mean, keys)) * to_variance + to_mean, x.dtype());
}

const OpDef& op_batch_norm = define_composite({
    .name = "batch_normalization",
    .input_count = 3,
    .output_count = 3,
    .scalar_names = {"eps"},
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            check_batch_norm_types(c);
            Type statistic{working_dtype(c.inputs[0].dtype), c.inputs[1].shape};
            return Types{c.inputs[0], statistic, statistic};
        },
    .kernel = forward_kernel,
    .body = forward_body,
    .gradient =
        [](const GradientCall& c) {
            Variable x = c.x(0), gamma = c.x(1), mean = c.y(1), variance = c.y(2);
            Variables gx(3);
            if (c.has_gy(0)) {
                Variable gy = c.gy(0);
                const Variable* inputs[] = {&x, &gamma, &mean, &variance, &gy};
                Scalar eps = c.scalar(0);
                gx = apply(op_batch_norm_gx, inputs, known_location(), c.attributes(),
                           std::span(&eps, 1));
                gx[2] = cast(gx[2], c.x_type(2).dtype);
            }
            if (c.has_gy(1) || c.has_gy(2)) {
                Variable more = through_statistics(c, x, mean);
                gx[0] = gx[0].defined() ? gx[0] + more : more;
            }
            return gx;
        },
    .reads = [](int, int) { return Reads{.inputs = 3, .outputs = 6}; },
    .declared = {library_role(LibraryRole::batch_normalization)},
});

/// Writes a batch normalisation in which the keys are the channels; the formula says the rest.
std::vector<int> write_fixed_batch_norm(OnnxCall& c) {
    const OnnxSizes& x = c.inputs[0].shape;
    if (x.size() < 2 || !x[1].is_constant()) return {};
    OnnxSizes keys(x.size(), 1);
    keys[1] = x[1];
    std::vector<int> values{c.input(0)};
    for (size_t i = 1; i < 5; ++i) {
        if (c.inputs[i].shape != keys || c.inputs[i].dtype != c.inputs[0].dtype) return {};
        values.push_back(c.graph.reshape(c.input(int(i)), keys, {x[1]}));
    }
    return c.node("BatchNormalization", values, {{"epsilon", c.scalars[0]}});
}

/// y = (x - mean) * (gamma / sqrt(var + eps)) + beta; all but x are broadcast.
const OpDef& op_fixed_batch_norm =
    elementwise<5, 1>("fixed_batch_normalization")
        .scalars({"eps"})
        .floats()
        .forward([](auto x, auto gamma, auto beta, auto mean, auto var, auto eps) {
            return (x - mean) * (gamma * rsqrt(var + eps)) + beta;
        })
        .gradient<0>([](auto x, auto gamma, auto beta, auto mean, auto var, auto eps, auto y,
                        auto gy) { return gy * (gamma * rsqrt(var + eps)); })
        .gradient<1>([](auto x, auto gamma, auto beta, auto mean, auto var, auto eps, auto y,
                        auto gy) { return gy * ((x - mean) * rsqrt(var + eps)); })
        .gradient<2>([](auto x, auto gamma, auto beta, auto mean, auto var, auto eps, auto y,
                        auto gy) { return gy; })
        .gradient<3>([](auto x, auto gamma, auto beta, auto mean, auto var, auto eps, auto y,
                        auto gy) { return -gy * (gamma * rsqrt(var + eps)); })
        .gradient<4>(
            [](auto x, auto gamma, auto beta, auto mean, auto var, auto eps, auto y, auto gy) {
                auto rstd = rsqrt(var + eps);
                return gy * (x - mean) * (gamma * (rstd * rstd * rstd)) * -0.5;
            })
        .onnx(write_fixed_batch_norm)
        .define();

const FunctionDef& f_batch_normalization = function(
    "batch_normalization(x, gamma, beta, *, eps=2e-5, running_mean=None, running_var=None, "
    "decay=0.9, axis=None)",
    {"x", "gamma", "beta", "running_mean", "running_var"}, [](const FunctionArguments& a) {
        return batch_normalization(a.array("x"), a.array("gamma"), a.array("beta"),
                                   {.eps = a.number("eps"),
                                    .running_mean = a.array("running_mean"),
                                    .running_var = a.array("running_var"),
                                    .decay = a.number("decay"),
                                    .axis = a.dims("axis")});
    });
const FunctionDef& f_fixed_batch_normalization =
    function("fixed_batch_normalization(x, gamma, beta, mean, var, eps=2e-05, axis=None)",
             {"x", "gamma", "beta", "mean", "var"}, [](const FunctionArguments& a) {
                 return fixed_batch_normalization(a.array("x"), a.array("gamma"), a.array("beta"),
                                                  a.array("mean"), a.array("var"), a.number("eps"),
                                                  a.dims("axis"));
             });

}  // namespace

Variable batch_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                             const BatchNormalizationOptions& options) {
    LocationScope scope(x.location());
    Axes axis = normalized_axes("batch_normalization", options.axis, x, gamma);
    const Variable* inputs[] = {&x.variable(), &gamma.variable(), &beta.variable()};
    Variables y =
        apply(op_batch_norm, inputs, x.location(), {{"axis", axis}}, std::span(&options.eps, 1));
    if (options.running_mean.defined() || options.running_var.defined()) {
        auto mode = no_backprop_mode();
        double count = count_of(x.variable().shape(), axis);
        if (options.running_mean.defined())
            update_statistic(options.running_mean, y[1], options.decay);
        if (options.running_var.defined())
            update_statistic(options.running_var, y[2] * unbiased(count), options.decay);
    }
    return y[0];
}

Variable fixed_batch_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                                   const Operand& mean, const Operand& var, const Scalar& eps,
                                   const Axes& axis) {
    LocationScope scope(x.location());
    const Variable& vx = x;
    Axes over = normalized_axes("fixed_batch_normalization", axis, vx, gamma);
    Shape flat = key_shape(vx.shape(), over), keys = expanded(vx.shape(), over);
    const Operand* given[] = {&gamma, &beta, &mean, &var};
    const char* names[] = {"gamma", "beta", "mean", "var"};
    Variable wide[4];
    for (int i = 0; i < 4; ++i) {
        const Variable& each = *given[i];
        if (!(each.shape() == flat))  // fixed_batch_normalization_c1
            fail<ShapeError>("fixed_batch_normalization: {} should be {}, it is {} (x {})",
                             names[i], to_string(flat), to_string(each.shape()),
                             to_string(vx.shape()));
        wide[i] = reshape(each, keys);
    }
    return call(op_fixed_batch_norm, x.location(), {}, {eps}, vx, wide[0], wide[1], wide[2],
                wide[3]);
}

}  // namespace catena
