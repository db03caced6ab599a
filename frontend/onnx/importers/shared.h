#pragma once

#include <algorithm>
#include <cmath>

#include "frontend/onnx/importer.h"
#include "runtime/core/array/sizes.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/rounding.h"

// Helpers shared by several families of importers.

namespace catena::onnx {

/// A list of axes or sizes; UnsupportedError for more than max_rank.
inline Dims dims_of(const NodeCall& node, const std::vector<int64_t>& values) {
    if (values.size() > size_t(max_rank))
        node.unsupported(fmt::format("an array of {} axes", values.size()));
    return Dims(values);
}

/// A list of small integers: from input `input` if present, else from the attribute; none if both
/// are missing.
inline std::optional<std::vector<int64_t>> list_of(const NodeCall& node, int input,
                                                   std::string_view attribute,
                                                   const Expected& expected) {
    if (node.has(input)) return node.values(input, expected);
    return node.integers(attribute, expected);
}

/// A list of small integers, as list_of(); FileError if both input and attribute are missing.
inline std::vector<int64_t> needed_list(const NodeCall& node, int input, std::string_view attribute,
                                        const Expected& expected) {
    const auto list = list_of(node, input, attribute, expected);
    if (!list) node.wrong(fmt::format("{} is missing", attribute));
    return *list;
}

/// Axes that attribute or input name; all of `rank` axes where there are none.
inline Axes axes_or_all(const NodeCall& node, const std::optional<std::vector<int64_t>>& given,
                        int rank) {
    if (given && !given->empty()) return node.axes(*given, rank);
    Axes all;
    for (int i = 0; i < rank; ++i) all.push_back(i);
    return all;
}

/// A number of x's dtype that does not take part in promotion.
inline Variable constant_like(const Variable& x, double value) {
    return Variable(Array::full({x.dtype(), Shape{}}, value), false);
}

/// A list of numbers along `axis` of `rank` axes; a single one fits everywhere.
inline Variable list_along(const NodeCall& node, const Variable& list, int rank, int axis) {
    if (list.size() == 1) return reshape(list, Shape{});
    if (axis >= rank)
        node.wrong(
            fmt::format("{} stands along axis {} of {} axes", to_string(list.type()), axis, rank));
    Shape shape = Shape::filled(rank, 1);
    shape[axis] = list.size();
    return reshape(list, shape);
}

/// Softmax along an axis, with 16-bit floats rounded after every step, as in the function body with
/// which ONNX defines Softmax.
inline Variable softmax_of(const Variable& x, int64_t axis) {
    if (!is_float(x.dtype()) || size_of(x.dtype()) != 2) return softmax(x, axis);
    const Variable e = exp(x - max(x, axis, true));
    return e / sum(e, axis, true);
}

inline Variable in_float64(const Variable& x) { return cast(x, Dtype::float64); }

/// x rounded to integers, plus a zero point, clamped to dtype's range.
inline Variable on_integers(const NodeCall& n, const Variable& x, const Variable& zero,
                            Dtype dtype) {
    if (!is_integer(dtype))
        n.unsupported("elements of type " + std::string(catena::name_of(dtype)));
    const bool is_signed = dtype != Dtype::uint8;
    const int bits = int(8 * size_of(dtype)) - is_signed;
    Variable y = nearest_even(x);
    if (zero.defined()) y = y + cast(zero, x.dtype());
    return cast(clip(y, is_signed ? -std::ldexp(1.0, bits) : 0, std::ldexp(1.0, bits) - 1), dtype);
}

inline Variable arange(int64_t begin, int64_t count, int64_t step = 1) {
    std::vector<int64_t> values;
    values.reserve(size_t(count));  // What cannot be had is refused before any is filled.
    for (int64_t i = 0; i < count; ++i) values.push_back(begin + i * step);
    return Variable(Array::from(values, Shape{count}), false);
}

}  // namespace catena::onnx
