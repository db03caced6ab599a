#pragma once

#include <optional>
#include <vector>

#include "runtime/ops/math/reduction/reduction.h"

namespace catena {

/// The square root of the mean squared distance from the mean, along the axes. Integers and bools
/// give floats. The gradient where all elements are equal is NaN.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
/// - ddof: As of variance().
///
/// By name: std.
Variable standard_deviation(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false,
                            int64_t ddof = 0);

/// The number below which `q` percent of the elements are, between two of them by their distance;
/// NaN where there is one. Along an axis, or of the flattened x. Integers give floats.
Variable percentile(const Operand& x, double q, std::optional<int64_t> axis = {},
                    bool keepdims = false);
/// One result for each q, along a new first axis.
Variable percentile(const Operand& x, const std::vector<double>& q,
                    std::optional<int64_t> axis = {}, bool keepdims = false);
Variable percentile(const Operand& x, std::initializer_list<double> q,
                    std::optional<int64_t> axis = {}, bool keepdims = false);
/// The middle element along the axis, or the mean of the two in the middle: the percentile of 50.
Variable median(const Operand& x, std::optional<int64_t> axis = {}, bool keepdims = false);

/// [variables, variables] of a matrix with a row for each variable (a column with rowvar = false)
/// and its observations in it: the sum of products of distances from the means, divided by their
/// number - ddof.
Variable cov(const Operand& x, bool rowvar = true, int ddof = 1);

// Reductions that leave out NaN. Integers and bools, which have none, are reduced as by the plain
// functions.

/// The sum along the axes, where NaN counts as 0. Integers and bools give int64.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable nansum(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// The mean along the axes of the elements that are no NaN; NaN where nothing is a number.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable nanmean(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// The variance along the axes of the elements that are no NaN; NaN where nothing is a number.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
/// - ddof: As of variance(); NaN where no more numbers are there.
Variable nanvar(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false,
                int64_t ddof = 0);
/// The standard deviation along the axes of the elements that are no NaN; NaN where nothing is a
/// number.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
/// - ddof: As of nanvar().
Variable nanstd(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false,
                int64_t ddof = 0);
/// The largest element along the axes that is no NaN; NaN where nothing is a number.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable nanmax(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// The smallest element along the axes that is no NaN; NaN where nothing is a number.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable nanmin(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// The index of the first largest number along the axis, int32; 0 where nothing is a number, for
/// which NumPy has an error. No gradient.
/// - axis: Which; of the flattened array if not given.
Variable nanargmax(const Operand& x, std::optional<int64_t> axis = {});
/// The index of the first smallest number along the axis, int32; 0 where nothing is a number, for
/// which NumPy has an error. No gradient.
/// - axis: Which; of the flattened array if not given.
Variable nanargmin(const Operand& x, std::optional<int64_t> axis = {});

}  // namespace catena
