#include "runtime/ops/pooling/pooling.h"

#include "frontend/onnx/importers/scattering.h"
#include "frontend/onnx/importers/windows.h"
#include "runtime/ops/math/division.h"
#include "runtime/ops/math/reduction/norm.h"

namespace catena::onnx {
namespace {

/// x with `value` around its spatial axes, as far as the last window reaches.
Variable surrounded(const Variable& x, const Windows& w, double value) {
    Dims before = Dims::filled(x.rank(), 0), after = before;
    for (int i = 0; i < w.axes(); ++i) {
        before[i + 2] = w.before[i];
        const int64_t reach = (w.positions[i] - 1) * w.stride[i] + w.extent(i);
        after[i + 2] = std::max<int64_t>(reach - w.before[i] - x.shape()[i + 2], 0);
    }
    return pad(x, before, after, number_of(x.dtype(), value));
}

/// Calls f with element k of every window, for all k in row-major order.
template <class F>
void for_each_place(const Variable& x, const Windows& w, F&& f) {
    Shape size = x.shape();
    for (int i = 0; i < w.axes(); ++i) size[i + 2] = w.positions[i];
    Dims step = Dims::filled(x.rank(), 1), place = Dims::filled(w.axes(), 0);
    for (int i = 0; i < w.axes(); ++i) step[i + 2] = w.stride[i];
    for (int64_t k = 0, all = counted_elements(x.dtype(), w.kernel); k < all; ++k) {
        Dims begin = Dims::filled(x.rank(), 0);
        int64_t rest = k;
        for (int i = w.axes(); i-- > 0; rest /= w.kernel[i]) {
            place[i] = rest % w.kernel[i];
            begin[i + 2] = place[i] * w.dilate[i];
        }
        f(strided_slice(x, begin, step, size), place);
    }
}

Dims kernel_of(const NodeCall& n, int axes) {
    const auto kernel = n.integers("kernel_shape", {positive, size_t(axes)});
    if (!kernel) n.wrong("attribute kernel_shape is missing");
    return dims_of(n, *kernel);
}

/// Images of some spatial axes.
const Variable& images_of(const NodeCall& n) { return n.ranked(0, 3); }

double least_of(Dtype dtype) {
    if (is_float(dtype)) return -INFINITY;
    return dtype == Dtype::uint8 || dtype == Dtype::bool_
               ? 0
               : -std::ldexp(1.0, int(8 * size_of(dtype)) - 1);
}

/// The maxima and, of each, its place in x counted through all axes.
Variables maxima_with_places(const NodeCall& n, const Windows& w) {
    const Variable& x = n[0];
    const Variable wide = surrounded(x, w, least_of(x.dtype()));
    int64_t inner = 1;
    for (int i = 0; i < w.axes(); ++i) inner *= x.shape()[i + 2];
    // The place of every element; row by row, or column by column with storage_order 1.
    Variable numbers =
        reshape(arange(0, x.shape()[0] * x.shape()[1]), {x.shape()[0], x.shape()[1]}) * inner;
    Shape shape{x.shape()[0], x.shape()[1]};
    for (int i = 0; i < w.axes(); ++i) shape.push_back(1);
    numbers = reshape(numbers, shape);
    const bool columns = n.flag("storage_order");
    int64_t step = 1;
    for (int k = 0; k < w.axes(); ++k) {
        const int i = columns ? k : w.axes() - 1 - k;
        Shape line = Shape::filled(x.rank(), 1);
        line[i + 2] = x.shape()[i + 2];
        numbers = numbers + reshape(arange(0, x.shape()[i + 2], step), line);
        step *= x.shape()[i + 2];
    }
    const Variable wide_numbers = surrounded(broadcast_to(numbers, x.shape()), w, -1);
    std::vector<Variable> places;
    for_each_place(wide_numbers, w,
                   [&](const Variable& part, const Dims&) { places.push_back(part); });
    Variable best, where_best;
    size_t k = 0;
    for_each_place(wide, w, [&](const Variable& part, const Dims&) {
        if (k == 0) {
            best = part;
            where_best = places[0];
        } else {
            const Variable better = part > best;
            where_best = where(better, places[k], where_best);
            best = where(better, part, best);
        }
        ++k;
    });
    return {best, where_best};
}

Variables maxima(const NodeCall& n) {
    const Variable& x = images_of(n);
    const Windows w = windows_of(n, x.shape(), kernel_of(n, x.rank() - 2));
    if (n.wants_output(1)) return maxima_with_places(n, w);
    const bool simple = w.axes() == 2 && w.symmetric() && w.dilate == Dims{1, 1} &&
                        is_float(x.dtype()) && !n.flag("ceil_mode");
    if (simple)
        return {
            max_pooling_2d(x, w.kernel, {.stride = w.stride, .pad = w.before, .cover_all = false})};
    Variable y;
    for_each_place(
        surrounded(x, w, least_of(x.dtype())), w,
        [&](const Variable& part, const Dims&) { y = y.defined() ? maximum(y, part) : part; });
    return {y};
}

Variable sum_of_windows(const Variable& x, const Windows& w) {
    Variable y;
    for_each_place(surrounded(x, w, 0), w,
                   [&](const Variable& part, const Dims&) { y = y.defined() ? y + part : part; });
    return y;
}

Variables averages(const NodeCall& n) {
    const Variable& x = images_of(n);
    Windows w = windows_of(n, x.shape(), kernel_of(n, x.rank() - 2));
    const bool with_padding = n.flag("count_include_pad"), plain = !n.flag("ceil_mode");
    const bool bare = w.before == Dims::filled(w.axes(), 0) && w.symmetric();
    if (w.axes() == 2 && w.symmetric() && w.dilate == Dims{1, 1} && plain && (with_padding || bare))
        return {average_pooling_2d(x, w.kernel, w.stride, w.before)};
    const Variable total = sum_of_windows(x, w);
    Shape one = x.shape();
    one[0] = one[1] = 1;
    Variable ones = fill({x.dtype(), one}, 1);
    if (with_padding) {  // Padding counts, but not the elements that ceil_mode adds beyond it.
        Dims before = Dims::filled(x.rank(), 0), after = before;
        for (int i = 0; i < w.axes(); ++i) {
            before[i + 2] = w.before[i];
            after[i + 2] = w.after[i];
        }
        ones = pad(ones, before, after, 1);
        for (int i = 0; i < w.axes(); ++i) w.before[i] = 0;
    }
    return {total / sum_of_windows(ones, w)};
}

/// The root of a sum of powers; its gradient at 0 is 0, so that where all elements are 0 theirs is.
Variable root_of(const Variable& powers, double p) {
    if (p == 1) return powers;
    if (p == 2) return length_of(powers);
    const Variable is_zero = powers == 0;
    return where(is_zero, 0, pow(where(is_zero, 1, powers), 1 / p));
}

Variables norms(const NodeCall& n) {
    const Variable& x = images_of(n);
    const double p = double(n.integer("p", 2, positive));
    const Windows w = windows_of(n, x.shape(), kernel_of(n, x.rank() - 2));
    return {root_of(sum_of_windows(pow(absolute(x), p), w), p)};
}

template <class F>
std::function<Variables(const NodeCall&)> over_all(F reduce) {
    return [reduce](const NodeCall& n) {
        Axes axes;
        for (int i = 2; i < n[0].rank(); ++i) axes.push_back(i);
        return Variables{reduce(n, axes)};
    };
}

/// The sizes that MaxPool had where it gave x.
Shape unpooled_shape(const NodeCall& n) {
    Shape shape = images_of(n).shape();
    const Dims kernel = kernel_of(n, shape.rank() - 2);
    const size_t axes = size_t(kernel.rank());
    const std::vector<int64_t> strides = n.integers("strides", axes, positive, 1),
                               pads = n.integers("pads", 2 * axes, any_size, 0);
    for (size_t i = 0; i < axes; ++i) {
        int64_t& size = shape[int(i) + 2];
        if (size > most_size) n.wrong(fmt::format("x {}", to_string(n[0].shape())));
        size = (size - 1) * strides[i] + kernel[int(i)] - pads[i] - pads[axes + i];
        if (size < 1) n.wrong(fmt::format("axis {} of the result has {} elements", i + 2, size));
    }
    return shape;
}

/// Places in an array of shape `from` as those in a larger one, at whose beginning it stands in
/// each axis.
Variable places_within(const Variable& places, const Shape& from, const Shape& to) {
    const Strides steps = contiguous_strides(from), wide = contiguous_strides(to);
    Variable rest = places, all = fill(places.type(), 0);
    for (int i = 0; i < from.rank(); ++i) {
        all = all + floor_divide(rest, steps[i]) * wide[i];
        rest = remainder(rest, steps[i]);
    }
    return all;
}

/// Elements back at the places that MaxPool gave, zeros elsewhere. Places count through the result
/// without output_shape.
Variables unpooled(const NodeCall& n) {
    const Variable& x = images_of(n);
    const Shape inner = unpooled_shape(n);
    const Shape shape = n.has(2) ? Shape(n.values(2, {positive, size_t(x.rank())})) : inner;
    for (int i = 0; i < shape.rank(); ++i)
        if (shape[i] < inner[i])
            n.wrong(fmt::format("output_shape {} is less than {}, which the windows need",
                                to_string(shape), to_string(inner)));
    if (n[1].shape() != x.shape())
        n.wrong(fmt::format("places {} for x {}", to_string(n[1].shape()), to_string(x.shape())));
    const int64_t size = counted_elements(x.dtype(), inner),
                  whole = counted_elements(x.dtype(), shape);
    if (n.is_known(1)) n.values(1, {{0, size - 1}});
    Variable places = flatten(cast(n[1], Dtype::int64));
    // What lies outside is refused where it is written, and must not count from the end.
    const Variable inside = places_within(places, inner, shape);
    places = where(places >= 0 && places < size, inside, whole);
    const Variable zeros = fill({x.dtype(), Shape{whole}}, 0);
    return {reshape(with_last_updates(zeros, places, flatten(x)), shape)};
}

const int pooling_importers = add_importers({
    {"MaxPool", maxima},
    {"AveragePool", averages},
    {"LpPool", norms},
    {"GlobalAveragePool",
     over_all([](const NodeCall& n, const Axes& axes) { return mean(n[0], axes, true); })},
    {"GlobalMaxPool",
     over_all([](const NodeCall& n, const Axes& axes) { return max(n[0], axes, true); })},
    {"GlobalLpPool", over_all([](const NodeCall& n, const Axes& axes) {
         const double p = double(n.integer("p", 2, positive));
         return root_of(sum(pow(absolute(n[0]), p), axes, true), p);
     })},
    {"MaxUnpool", unpooled},
});

}  // namespace
}  // namespace catena::onnx
