#include "runtime/ops/math/reduction/reduction.h"

#include <algorithm>

#include "runtime/cpu/blocks/reduce_kernel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

namespace {

Shape reduced_shape(const Shape& shape, const Axes& axes, bool keepdims) {
    Shape result;
    for (int i = 0; i < shape.rank(); ++i) {
        if (!axes.contains(i))
            result.push_back(shape[i]);
        else if (keepdims)
            result.push_back(1);
    }
    return result;
}

int64_t reduced_count(const Shape& shape, const Axes& axes) {
    int64_t count = 1;
    for (int64_t axis : axes) count *= shape[axis];
    return count;
}

Types accumulated_type(const TypeCall& c) {
    const Type& x = c.inputs[0];
    return {{is_float(x.dtype) ? x.dtype : Dtype::int64,
             reduced_shape(x.shape, c.attributes.dims("axes"), c.attributes.flag("keepdims"))}};
}

// max_c1: the reduced axes hold at least one element, unless nothing is computed
Types selected_type(const TypeCall& c) {
    const Type& x = c.inputs[0];
    const Axes& axes = c.attributes.dims("axes");
    const Shape shape = reduced_shape(x.shape, axes, c.attributes.flag("keepdims"));
    if (reduced_count(x.shape, axes) == 0 && element_count(shape) > 0)
        fail<ValueError>("{}: x {} has no elements along axes {}, at least one is needed",
                         c.op.name, to_string(x.shape), to_string(axes));
    return {{x.dtype, shape}};
}

Variable gradient_across(const GradientCall& g, const Variable& y) {
    return broadcast_reduced(y, g.attributes().dims("axes"), g.x_type(0).shape);
}

const OpDef& op_sum = register_op({
    .name = "sum",
    .kind = Kind::reduce,
    .differentiable = true,
    .type = accumulated_type,
    .kernel = run_reduce,
    .gradient = [](const GradientCall& g) { return Variables{gradient_across(g, g.gy())}; },
    .combine = Combine::sum,
    .onnx = onnx_reduction("ReduceSum", 13),
    .declared = {in_autocast(Autocast::wide)},
});

OpDef extremum(const char* name, Combine combine, const char* onnx) {
    return {
        .name = name,
        .kind = Kind::reduce,
        .differentiable = true,
        .type = selected_type,
        .kernel = run_reduce,
        // Ties all receive the gradient, as in Chainer; a NaN equals nothing and receives none.
        .gradient =
            [](const GradientCall& g) {
                return Variables{
                    where(g.x(0) == gradient_across(g, g.y()), gradient_across(g, g.gy()), 0)};
            },
        .reads = [](int, int) { return Reads{.inputs = 1, .outputs = 1}; },
        .combine = combine,
        .onnx = onnx_reduction(onnx),
    };
}
const OpDef& op_max = register_op(extremum("max", Combine::maximum, "ReduceMax"));
const OpDef& op_min = register_op(extremum("min", Combine::minimum, "ReduceMin"));

/// The body of logsumexp: shifted by the maximum, where that is finite.
Variable shifted_logsumexp(const Variable& narrow, const Axes& axes, bool keepdims) {
    const Variable x = widened(narrow);
    const Variable largest = max(x, axes, true);
    const Variable shift = where(largest - largest == 0, largest, 0);
    const Variable y = log(sum(exp(x - shift), axes, true)) + shift;
    return cast(reshape(y, reduced_shape(x.shape(), axes, keepdims)), narrow.dtype());
}

void check_float(const char* op, const Variable& x) {
    if (!is_float(x.dtype()))
        fail<DtypeError>("{}: x is {}, a float dtype is needed", op, name_of(x.dtype()));
}

const OpDef& op_logsumexp = register_op({
    .name = "logsumexp",
    .differentiable = true,
    .type = selected_type,
    .body =
        [](std::span<const Variable> x, const Attributes& a, std::span<const Scalar>) {
            return Variables{shifted_logsumexp(x[0], a.dims("axes"), a.flag("keepdims"))};
        },
    .gradient =
        [](const GradientCall& g) {
            const Variable share = exp(g.x(0) - gradient_across(g, g.y()));
            return Variables{gradient_across(g, g.gy()) * share};
        },
    .reads = [](int, int) { return Reads{.inputs = 1, .outputs = 1}; },
    .onnx = onnx_reduction("ReduceLogSumExp"),
    .declared = {in_autocast(Autocast::wide)},
});

Variable reduce(const OpDef& op, const Operand& x, const ReductionAxes& axis, bool keepdims) {
    LocationScope scope(x.location());
    const Axes axes = axis.resolve(op.name.c_str(), x.variable().rank());
    return call(op, x.location(), {{"axes", axes}, {"keepdims", keepdims}}, {}, x);
}

}  // namespace

Variable broadcast_reduced(const Operand& y, const Axes& axes, const Shape& shape) {
    LocationScope scope(y.location());
    return broadcast_to(reshape(y, reduced_shape(shape, axes, true)), shape);
}

Variable sum(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    return reduce(op_sum, x, axis, keepdims);
}
static const FunctionDef& f_sum =
    function("sum(x, axis=None, keepdims=False)", {"x"}, [](const FunctionArguments& a) {
        return sum(a.array("x"), a.dims("axis"), a.flag("keepdims"));
    });

Variable max(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    return reduce(op_max, x, axis, keepdims);
}
static const FunctionDef& f_max =
    function("max(x, axis=None, keepdims=False)", {"x"}, [](const FunctionArguments& a) {
        return max(a.array("x"), a.dims("axis"), a.flag("keepdims"));
    });

Variable min(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    return reduce(op_min, x, axis, keepdims);
}
static const FunctionDef& f_min =
    function("min(x, axis=None, keepdims=False)", {"x"}, [](const FunctionArguments& a) {
        return min(a.array("x"), a.dims("axis"), a.flag("keepdims"));
    });

Variable mean(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    LocationScope scope(x.location());
    const Variable& v = x;
    const int64_t count = reduced_count(v.shape(), axis.resolve("mean", v.rank()));
    if (!is_float(v.dtype())) return sum(v, axis, keepdims) * (1.0 / double(count));
    const Variable wide = sum(widened(v), axis, keepdims) * (1.0 / double(count));
    return autocast_dtype() == Dtype::float32 ? cast(wide, v.dtype())
                                              : wide;  // As sum in such a scope.
}

// average_c1: weights have x's shape, or are a vector along the one axis given
Variable average(const Operand& x, const Operand& weights, const ReductionAxes& axis,
                 bool keepdims) {
    LocationScope scope(x.location());
    const Variable v = as_floats(x);
    const Axes axes = axis.resolve("average", v.rank());
    Variable w = as_floats(weights);
    if (w.shape() != v.shape()) {
        if (axes.rank() != 1 || w.rank() != 1 || w.size() != v.shape()[axes[0]])
            fail<ShapeError>(
                "average: weights {} must have the shape of x {} or be a vector along the one axis "
                "reduced, here {}",
                to_string(w.shape()), to_string(v.shape()), to_string(axes));
        Shape along = Shape::filled(v.rank(), 1);
        along[axes[0]] = w.size();
        w = broadcast_to(reshape(w, along), v.shape());
    }
    const Variable wide = widened(v), factor = widened(w), total = sum(factor, axes, keepdims);
    return cast(sum(wide * factor, axes, keepdims) / total, promote(v.dtype(), w.dtype()));
}

namespace {

Variable call_average(const FunctionArguments& a) {
    const Variable weights = a.array("weights");
    return weights.defined() ? average(a.array("x"), weights, a.dims("axis"), a.flag("keepdims"))
                             : mean(a.array("x"), a.dims("axis"), a.flag("keepdims"));
}

}  // namespace
static const FunctionDef& f_average =
    function("average(x, axis=None, weights=None, keepdims=False)", {"x", "weights"}, call_average);
static const FunctionDef& f_mean =
    function("mean(x, axis=None, weights=None, keepdims=False)", {"x", "weights"}, call_average);

Variable variance(const Operand& x, const ReductionAxes& axis, bool keepdims, int64_t ddof) {
    LocationScope scope(x.location());
    const Variable v = as_floats(x), wide = widened(v);
    const Variable squares = square(wide - mean(wide, axis, true));
    if (ddof == 0) return cast(mean(squares, axis, keepdims), v.dtype());
    const Variable total = sum(squares, axis, keepdims);
    const int64_t results = total.size(), each = results == 0 ? 0 : v.size() / results;
    return cast(total / double(std::max<int64_t>(each - ddof, 0)), v.dtype());
}

Variable logsumexp(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    LocationScope scope(x.location());
    check_float("logsumexp", x);
    return reduce(op_logsumexp, x, axis, keepdims);
}
static const FunctionDef& f_logsumexp =
    function("logsumexp(x, axis=None)", {"x"},
             [](const FunctionArguments& a) { return logsumexp(a.array("x"), a.dims("axis")); });

// sum_to_c1: shape broadcasts to the shape of x
Variable sum_to(const Operand& x, const Shape& shape) {
    LocationScope scope(x.location());
    const Shape& from = x.variable().shape();
    if (from == shape) return x;
    Shape common;
    if (!broadcast_shapes(shape, from, common) || common != from)
        fail<ShapeError>("sum_to: {} does not broadcast to the shape of x {}", to_string(shape),
                         to_string(from));
    Axes axes;
    const int missing = from.rank() - shape.rank();
    for (int i = 0; i < from.rank(); ++i)
        if (i < missing || (shape[i - missing] == 1 && from[i] != 1)) axes.push_back(i);
    return reshape(axes.empty() ? Variable(x) : sum(x, axes), shape);
}
static const FunctionDef& f_sum_to =
    function("sum_to(x, shape)", {"x"},
             [](const FunctionArguments& a) { return sum_to(a.array("x"), a.dims("shape")); });

}  // namespace catena
