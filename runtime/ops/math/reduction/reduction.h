#pragma once

#include <cstdint>
#include <optional>

#include "runtime/core/array/axis_arguments.h"
#include "runtime/graph/op/op.h"
#include "runtime/graph/op/variable_math.h"

namespace catena {

// Reduced axes are dropped, or kept with size 1 when `keepdims`. Sums and products of integers and
// bools are int64.

/// The sum of elements along the axes. Integers and bools give int64; float16 and bfloat16 are
/// summed in float32.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable sum(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// The product of elements along the axes. Integers and bools give int64. The gradient is right
/// where elements are 0.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable prod(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// The largest element along the axes. NaN propagates; all elements that are the largest get the
/// gradient. ValueError for an axis without elements.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable max(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// The smallest element along the axes. NaN propagates; all elements that are the smallest get the
/// gradient. ValueError for an axis without elements.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable min(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// The mean of elements along the axes; with weights, as average. Integers and bools give floats;
/// float16 and bfloat16 are summed in float32.
/// - axis: One or several; all if not given.
/// - weights: Of x's shape, or a vector along the one axis that is given.
/// - keepdims: Keep the axes, with size 1.
Variable mean(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// The mean of elements along the axes; with weights, sum(x * weights) / sum(weights).
/// - axis: One or several; all if not given.
/// - weights: Of x's shape, or a vector along the one axis that is given.
/// - keepdims: Keep the axes, with size 1.
Variable average(const Operand& x, const Operand& weights, const ReductionAxes& axis = {},
                 bool keepdims = false);
/// The mean squared distance from the mean, along the axes. Integers and bools give floats.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
/// - ddof: The sum of squares of n elements is divided by n - ddof: 1 for an unbiased estimate from
///   a sample. Where n is not larger, NaN or infinity.
///
/// By name: var.
Variable variance(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false,
                  int64_t ddof = 0);
/// log(sum(exp(x))) along the axes, without overflow. Floats only.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable logsumexp(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
// sum_to(x, shape), which undoes a broadcast: runtime/graph/op/variable_math.h.

/// The index of the first largest element along the axis, int32. NaN counts as the largest. No
/// gradient.
/// - axis: Which; of the flattened array if not given.
Variable argmax(const Operand& x, std::optional<int64_t> axis = {});
/// The index of the first smallest element along the axis, int32. NaN counts as the smallest. No
/// gradient.
/// - axis: Which; of the flattened array if not given.
Variable argmin(const Operand& x, std::optional<int64_t> axis = {});

/// Running sums along the axis. Integers and bools give int64.
/// - axis: Which; of the flattened array if not given.
Variable cumsum(const Operand& x, std::optional<int64_t> axis = {});
/// Running products along the axis. Integers and bools give int64. Gradients are right where
/// elements are 0.
/// - axis: Which; of the flattened array if not given.
Variable cumprod(const Operand& x, std::optional<int64_t> axis = {});

/// `y`, an array reduced over `axes`, broadcast back to `shape`: the reduced axes are inserted with
/// size 1 and repeated.
Variable broadcast_reduced(const Operand& y, const Axes& axes, const Shape& shape);

}  // namespace catena
