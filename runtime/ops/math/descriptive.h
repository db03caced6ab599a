#pragma once

#include <optional>
#include <vector>

#include "runtime/ops/math/reduction.h"

namespace catena {

/// The square root of variance(x). Its gradient where all elements are equal is NaN.
Variable standard_deviation(const Operand& x, const ReductionAxes& axis = {},
                            bool keepdims = false);

/// The number below which `q` percent of the elements are, between two of them by their distance;
/// NaN where there is one. Along an axis, or of the flattened x. Integers give floats.
Variable percentile(const Operand& x, double q, std::optional<int64_t> axis = {},
                    bool keepdims = false);
/// One result for each q, along a new first axis.
Variable percentile(const Operand& x, const std::vector<double>& q,
                    std::optional<int64_t> axis = {}, bool keepdims = false);
Variable median(const Operand& x, std::optional<int64_t> axis = {}, bool keepdims = false);

/// [variables, variables] of a matrix with a row for each variable (a column with rowvar = false)
/// and its observations in it: the sum of products of distances from the means, divided by their
/// number - ddof.
Variable cov(const Operand& x, bool rowvar = true, int ddof = 1);

// Reductions that leave out NaN. Integers and bools, which have none, are reduced as by the plain
// functions.

Variable nansum(const Operand& x, const ReductionAxes& axis = {},
                bool keepdims = false);  ///< NaN counts as 0.
/// The mean of what is a number; NaN where nothing is. So are the variance and the standard
/// deviation.
Variable nanmean(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
Variable nanvar(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
Variable nanstd(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// NaN where nothing is a number.
Variable nanmax(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
Variable nanmin(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// int32 index of the first largest (smallest) number; 0 where nothing is a number, for which NumPy
/// has an error.
Variable nanargmax(const Operand& x, std::optional<int64_t> axis = {});
Variable nanargmin(const Operand& x, std::optional<int64_t> axis = {});

}  // namespace catena
