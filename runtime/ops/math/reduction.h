#pragma once

#include <cstdint>
#include <initializer_list>

#include <optional>

#include "runtime/graph/op.h"
#include "runtime/graph/variable_math.h"

namespace catena {

/// Axes of a reduction: all, one, or several; negative ones count from the last.
class ReductionAxes {
public:
    ReductionAxes() = default;  ///< All.
    template <class T>
        requires std::is_integral_v<T>
    ReductionAxes(T axis) {
        axes_.push_back(int64_t(axis));
    }
    ReductionAxes(std::initializer_list<int64_t> axes);
    ReductionAxes(const Axes& axes) : axes_(axes) {}
    /// Sorted and non-negative.
    Axes resolve(const char* op, int rank) const { return normalize_axes(op, axes_, rank, true); }

private:
    Axes axes_;
};

// Reduced axes are dropped, or kept with size 1 when `keepdims`. Sums and products of integers and
// bools are int64.
Variable sum(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
Variable prod(const Operand& x, const ReductionAxes& axis = {},
              bool keepdims = false);  ///< Gradient safe at zeros.
/// NaN propagates; all maxima get the gradient. ValueError for an empty axis.
Variable max(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
Variable min(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// float16 and bfloat16 are summed in float32.
Variable mean(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// sum(x * weights) / sum(weights); weights of x's shape, or a vector along the one axis given.
Variable average(const Operand& x, const Operand& weights, const ReductionAxes& axis = {},
                 bool keepdims = false);
/// Mean squared distance from the mean.
Variable variance(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// log(sum(exp(x))) without overflow.
Variable logsumexp(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
// sum_to(x, shape), which undoes a broadcast: runtime/graph/variable_math.h.

/// int32 index of the first largest element; NaN counts as largest (argmin: as smallest). Without
/// an axis, in the flattened array.
Variable argmax(const Operand& x, std::optional<int64_t> axis = {});
Variable argmin(const Operand& x, std::optional<int64_t> axis = {});

/// Running sum; without an axis, of the flattened array. Integers and bools give int64.
Variable cumsum(const Operand& x, std::optional<int64_t> axis = {});
/// Running product, likewise; gradients are right at zeros.
Variable cumprod(const Operand& x, std::optional<int64_t> axis = {});

/// `y`, an array reduced over `axes`, with the reduced axes as size 1 and then as large as in
/// `shape`.
Variable broadcast_reduced(const Operand& y, const Axes& axes, const Shape& shape);

}  // namespace catena
