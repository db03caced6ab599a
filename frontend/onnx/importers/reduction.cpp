#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/array/searching.h"
#include "runtime/ops/math/reduction/norm.h"

namespace catena::onnx {
namespace {

using Reduce = std::function<Variable(const Variable& x, const Axes& axes, bool keepdims)>;

/// Axes are an attribute, or from some opset on an input. No axes are all axes, or none with
/// noop_with_empty_axes.
std::function<Variables(const NodeCall&)> reducing(Reduce reduce, Reduce alone) {
    return [=](const NodeCall& n) -> Variables {
        const Variable& x = n[0];
        const auto given = list_of(n, 1, "axes", {});
        const bool keepdims = n.flag("keepdims", true);
        if ((!given || given->empty()) && n.flag("noop_with_empty_axes"))
            return {alone(x, {}, true)};
        const Axes axes = axes_or_all(n, given, x.rank());
        return {x.rank() == 0 ? alone(x, {}, true) : cast(reduce(x, axes, keepdims), x.dtype())};
    };
}

Variable same(const Variable& x, const Axes&, bool) { return x; }
Variable magnitude(const Variable& x, const Axes&, bool) { return absolute(x); }
Variable squared(const Variable& x, const Axes&, bool) { return x * x; }
Variable logarithm(const Variable& x, const Axes&, bool) { return log(x); }

Variable euclidean(const Variable& x, const Axes& axes, bool keepdims) {
    const Variable squares = sum(x * x, axes, keepdims);
    return length_of(is_float(x.dtype()) ? squares : in_float64(squares));
}

double lowest_of(Dtype dtype, bool highest) {
    if (is_float(dtype)) return highest ? INFINITY : -INFINITY;
    if (dtype == Dtype::bool_) return highest;
    const bool is_signed = dtype != Dtype::uint8;
    const int bits = int(8 * size_of(dtype)) - is_signed;
    return highest ? std::ldexp(1.0, bits) - 1 : is_signed ? -std::ldexp(1.0, bits) : 0;
}

/// The neutral element of the maximum.
Variable extremum(const Variable& x, const Axes& axes, bool keepdims, bool least) {
    if (x.size() > 0) return least ? min(x, axes, keepdims) : max(x, axes, keepdims);
    Shape shape;
    for (int i = 0; i < x.rank(); ++i)
        if (!axes.contains(i))
            shape.push_back(x.shape()[i]);
        else if (keepdims)
            shape.push_back(1);
    return fill({x.dtype(), shape}, lowest_of(x.dtype(), least));
}

Variable mean_of(const Variable& x, const Axes& axes, bool keepdims) {
    return is_float(x.dtype()) ? mean(x, axes, keepdims)
                               : trunc(mean(in_float64(x), axes, keepdims));
}

Variable log_of_sum_of_exponentials(const Variable& x, const Axes& axes, bool keepdims) {
    if (x.size() == 0) return log(sum(exp(x), axes, keepdims));
    return logsumexp(is_float(x.dtype()) ? x : in_float64(x), axes, keepdims);
}

/// The place of the last of equal elements is that of the first from behind.
Variables place_of(const NodeCall& n, bool least) {
    const int axis = n.axis("axis", 0, n[0].rank());
    const bool last = n.flag("select_last_index");
    const Variable x = last ? flip(n[0], axis) : n[0];
    Variable place = cast(least ? argmin(x, axis) : argmax(x, axis), Dtype::int64);
    if (last) place = (n[0].shape()[axis] - 1) - place;
    return {n.flag("keepdims", true) ? expand_dims(place, axis) : place};
}

/// Exclusive or inclusive running sums.
Variables running_sum(const NodeCall& n) {
    const int axis = n.axis(n.value(1, any_number), n[0].rank());
    const bool reverse = n.flag("reverse");
    const Variable x = reverse ? flip(n[0], axis) : n[0];
    Variable y = cast(cumsum(x, axis), x.dtype());
    if (n.flag("exclusive")) y = y - x;
    return {reverse ? flip(y, axis) : y};
}

Variables running_product(const NodeCall& n) {
    const int axis = n.axis(n.value(1, any_number), n[0].rank());
    const bool reverse = n.flag("reverse"), exclusive = n.flag("exclusive");
    const Variable x = reverse ? flip(n[0], axis) : n[0];
    const int64_t size = x.shape()[axis];
    if (size == 0) return {x};
    std::vector<Variable> products;
    Variable product = slice_axis(x, axis, 0, 1);
    if (exclusive) product = product - product + 1;
    for (int64_t i = 0; i < size; ++i) {
        if (i > 0) product = product * slice_axis(x, axis, exclusive ? i - 1 : i, 1);
        products.push_back(product);
    }
    const Variable y = concat(products, axis);
    return {reverse ? flip(y, axis) : y};
}

Variables largest(const NodeCall& n) {
    const int axis = n.axis("axis", -1, n[0].rank());
    const Within up_to{0, n[0].shape()[axis]};
    const int64_t k = n.has(1) ? n.value(1, up_to) : n.integer("k", up_to);
    const TopK found = topk(n[0], k, axis, n.flag("largest", true));
    return {found.values, cast(found.indices, Dtype::int64)};
}

const int reduction_importers = add_importers({
    {"ReduceSum",
     reducing([](auto& x, auto& axes, bool keep) { return sum(x, axes, keep); }, same)},
    {"ReduceProd",
     reducing([](auto& x, auto& axes, bool keep) { return prod(x, axes, keep); }, same)},
    {"ReduceMax",
     reducing([](auto& x, auto& axes, bool keep) { return extremum(x, axes, keep, false); }, same)},
    {"ReduceMin",
     reducing([](auto& x, auto& axes, bool keep) { return extremum(x, axes, keep, true); }, same)},
    {"ReduceMean", reducing(mean_of, same)},
    {"ReduceL1",
     reducing([](auto& x, auto& axes, bool keep) { return sum(absolute(x), axes, keep); },
              magnitude)},
    {"ReduceL2", reducing(euclidean, magnitude)},
    {"ReduceSumSquare",
     reducing([](auto& x, auto& axes, bool keep) { return sum(x * x, axes, keep); }, squared)},
    {"ReduceLogSum",
     reducing([](auto& x, auto& axes, bool keep) { return log(sum(x, axes, keep)); }, logarithm)},
    {"ReduceLogSumExp", reducing(log_of_sum_of_exponentials, same)},
    {"ArgMax", [](const NodeCall& n) { return place_of(n, false); }},
    {"ArgMin", [](const NodeCall& n) { return place_of(n, true); }},
    {"CumSum", running_sum},
    {"CumProd", running_product},
    {"TopK", largest},
});

}  // namespace
}  // namespace catena::onnx
