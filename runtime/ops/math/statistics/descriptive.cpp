#include "runtime/ops/math/statistics/descriptive.h"

#include <cmath>
#include <limits>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/logic.h"

namespace catena {
namespace {

/// x with 0 where it is NaN, in the dtype that sums are formed in, and how many elements are not.
struct Numbers {
    Variable zero_filled, is_number, count;
    Numbers(const Variable& x, const ReductionAxes& axis, bool keepdims)
        : zero_filled(widened(where(isnan(x), false, x))),
          is_number(!isnan(x)),
          count(cast(sum(is_number, axis, keepdims), zero_filled.dtype())) {}
};

Variable nan_extremum(const Operand& x, const ReductionAxes& axis, bool keepdims, bool is_max) {
    LocationScope scope(x.location());
    const Variable& v = x;
    const auto extremum = [&](const Variable& of) {
        return is_max ? max(of, axis, keepdims) : min(of, axis, keepdims);
    };
    if (!is_float(v.dtype())) return extremum(v);
    const Variable best = extremum(where(isnan(v), is_max ? -INFINITY : INFINITY, v));
    return where(all(isnan(v), axis, keepdims), extremum(v),
                 best);  // The extremum of NaN alone is NaN.
}

/// The first place of the extremum itself: an infinity in place of NaN could come before an
/// infinity.
Variable nan_place(const Operand& x, std::optional<int64_t> axis, bool is_max) {
    LocationScope scope(x.location());
    const Variable& v = x;
    if (!is_float(v.dtype())) return is_max ? argmax(v, axis) : argmin(v, axis);
    const ReductionAxes axes = axis ? ReductionAxes(*axis) : ReductionAxes();
    return argmax(cast(v == nan_extremum(v, axes, true, is_max), Dtype::int32), axis);
}

template <class F>
const FunctionDef& descriptive_reduction(const char* signature, F f) {
    return function(signature, {"x"}, [f](const FunctionArguments& a) {
        return f(a.array("x"), a.dims("axis"), a.flag("keepdims"));
    });
}
#define CATENA_REDUCTION(name, function)                 \
    const FunctionDef& f_##name = descriptive_reduction( \
        #name "(x, axis=None, keepdims=False)",          \
        [](auto x, auto axis, bool keepdims) { return function(x, axis, keepdims); });
CATENA_REDUCTION(nansum, nansum)
CATENA_REDUCTION(nanmean, nanmean)
CATENA_REDUCTION(nanmax, nanmax)
CATENA_REDUCTION(nanmin, nanmin)
#undef CATENA_REDUCTION

#define CATENA_SPREAD(name, function_of)                                                        \
    const FunctionDef& f_##name = function(                                                     \
        #name "(x, axis=None, keepdims=False, ddof=0)", {"x"}, [](const FunctionArguments& a) { \
            return function_of(a.array("x"), a.dims("axis"), a.flag("keepdims"),                \
                               a.integer("ddof"));                                              \
        });
CATENA_SPREAD(var, variance)
CATENA_SPREAD(std, standard_deviation)
CATENA_SPREAD(nanvar, nanvar)
CATENA_SPREAD(nanstd, nanstd)
#undef CATENA_SPREAD

const FunctionDef& f_nanargmax =
    function("nanargmax(x, axis=None)", {"x"}, [](const FunctionArguments& a) {
        return nanargmax(a.array("x"), a.integer_unless_none("axis"));
    });
const FunctionDef& f_nanargmin =
    function("nanargmin(x, axis=None)", {"x"}, [](const FunctionArguments& a) {
        return nanargmin(a.array("x"), a.integer_unless_none("axis"));
    });

}  // namespace

Variable standard_deviation(const Operand& x, const ReductionAxes& axis, bool keepdims,
                            int64_t ddof) {
    LocationScope scope(x.location());
    const Variable v = as_floats(x);
    return cast(sqrt(variance(widened(v), axis, keepdims, ddof)), v.dtype());
}

Variable nansum(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    LocationScope scope(x.location());
    const Variable& v = x;
    return is_float(v.dtype()) ? sum(where(isnan(v), 0, v), axis, keepdims)
                               : sum(v, axis, keepdims);
}
Variable nanmean(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    LocationScope scope(x.location());
    const Variable v = as_floats(x);
    const Numbers numbers(v, axis, keepdims);
    return cast(sum(numbers.zero_filled, axis, keepdims) / numbers.count, v.dtype());
}
Variable nanvar(const Operand& x, const ReductionAxes& axis, bool keepdims, int64_t ddof) {
    LocationScope scope(x.location());
    if (are_whole(x, x)) return variance(x, axis, keepdims, ddof);
    const Variable v = as_floats(x);
    const Numbers numbers(v, axis, true);
    const Variable distance =
        numbers.zero_filled - sum(numbers.zero_filled, axis, true) / numbers.count;
    const Variable squares = where(numbers.is_number, square(distance), 0);
    const Variable count = Numbers(v, axis, keepdims).count;
    const Variable total = sum(squares, axis, keepdims);
    if (ddof == 0) return cast(total / count, v.dtype());
    const Variable divisor = count - double(ddof);
    return cast(where(divisor > 0, total / divisor, std::numeric_limits<double>::quiet_NaN()),
                v.dtype());
}
Variable nanstd(const Operand& x, const ReductionAxes& axis, bool keepdims, int64_t ddof) {
    LocationScope scope(x.location());
    if (are_whole(x, x)) return standard_deviation(x, axis, keepdims, ddof);
    const Variable v = as_floats(x);
    return cast(sqrt(nanvar(widened(v), axis, keepdims, ddof)), v.dtype());
}
Variable nanmax(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    return nan_extremum(x, axis, keepdims, true);
}
Variable nanmin(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    return nan_extremum(x, axis, keepdims, false);
}
Variable nanargmax(const Operand& x, std::optional<int64_t> axis) {
    return nan_place(x, axis, true);
}
Variable nanargmin(const Operand& x, std::optional<int64_t> axis) {
    return nan_place(x, axis, false);
}

namespace {

/// One of `ordered`, along an axis that stays with size 1.
Variable percentile_of(const Variable& ordered, double q, int64_t axis) {
    if (!(q >= 0 && q <= 100))
        fail<ValueError>("percentile: q is {}, it should be from 0 to 100", q);
    const int64_t last = ordered.shape()[int(axis)] - 1;
    const double position = double(last) * q / 100;
    const auto below = int64_t(position);
    const double part = position - double(below);
    const Variable low = slice_axis(ordered, axis, below, 1);
    const Variable y =
        part == 0 ? low : low + (slice_axis(ordered, axis, below + 1, 1) - low) * part;
    const Variable largest = slice_axis(ordered, axis, last, 1);
    return where(isnan(largest), largest, y);
}

Variables percentiles(const Variable& x, const std::vector<double>& q, std::optional<int64_t> axis,
                      bool keepdims) {
    const Variable floats = as_floats(x), v = axis ? floats : flatten(floats);
    const int along = axis ? normalize_axis("percentile", *axis, x.rank()) : 0;
    if (v.shape()[along] == 0)
        fail<ValueError>("percentile: x {} has no elements; at least one is needed",
                         to_string(x.shape()));
    const Variable ordered = sort(v, along);
    Variables found;
    for (const double each : q) {
        const Variable y = percentile_of(ordered, each, along);
        if (!keepdims)
            found.push_back(squeeze(y, along));
        else
            found.push_back(axis ? y : reshape(y, Shape::filled(x.rank(), 1)));
    }
    return found;
}

}  // namespace

Variable percentile(const Operand& x, double q, std::optional<int64_t> axis, bool keepdims) {
    LocationScope scope(x.location());
    return percentiles(x, {q}, axis, keepdims)[0];
}
Variable percentile(const Operand& x, const std::vector<double>& q, std::optional<int64_t> axis,
                    bool keepdims) {
    LocationScope scope(x.location());
    return stack(percentiles(x, q, axis, keepdims), 0);
}
Variable percentile(const Operand& x, std::initializer_list<double> q, std::optional<int64_t> axis,
                    bool keepdims) {
    return percentile(x, std::vector<double>(q), axis, keepdims);
}
Variable median(const Operand& x, std::optional<int64_t> axis, bool keepdims) {
    return percentile(x, 50, axis, keepdims);
}

Variable cov(const Operand& x, bool rowvar, int ddof) {
    LocationScope scope(x.location());
    Variable v = as_floats(x);
    if (v.rank() > 2) fail<ShapeError>("cov: x should be a matrix, it is {}", to_string(v.shape()));
    if (v.rank() < 2)
        v = reshape(v, {1, v.size()});
    else if (!rowvar)
        v = transpose(v);
    const Variable centered = v - mean(v, 1, true);
    const Variable y = matmul(centered, centered, false, true) / double(v.shape()[1] - ddof);
    return v.shape()[0] == 1 ? reshape(y, Shape{}) : y;
}

}  // namespace catena
