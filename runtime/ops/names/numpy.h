#pragma once

#include <optional>
#include <vector>

#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/array/searching.h"
#include "runtime/ops/math/linalg/linalg.h"
#include "runtime/ops/math/linalg/vectors.h"
#include "runtime/ops/math/statistics/descriptive.h"
#include "runtime/ops/names/pytorch.h"
#include "runtime/ops/noise/draws.h"

namespace catena {

// NumPy's names, and shorter forms of calls, of functions that have another name or form.

/// NumPy's name of standard_deviation().
inline Variable std(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false,
                    int64_t ddof = 0) {
    return standard_deviation(x, axis, keepdims, ddof);
}
/// NumPy's name of variance().
inline Variable var(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false,
                    int64_t ddof = 0) {
    return variance(x, axis, keepdims, ddof);
}
/// The percentile of 100 q, for q from 0 to 1.
inline Variable quantile(const Operand& x, double q, std::optional<int64_t> axis = {},
                         bool keepdims = false) {
    return percentile(x, 100 * q, axis, keepdims);
}
/// The largest element less the smallest along the axes, all if not given.
inline Variable ptp(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false) {
    return max(x, axis, keepdims) - min(x, axis, keepdims);
}
/// In C++: without weights, the mean.
inline Variable average(const Operand& x) { return mean(x); }
/// In C++: of a condition alone, the places where it holds, as nonzero().
inline Variables where(const Operand& condition) { return nonzero(condition); }
/// In C++: as many zeros before as after, along every axis: NumPy's pad(x, 1).
inline Variable pad(const Operand& x, int64_t width) {
    const Dims around = Dims::filled(x.variable().rank(), width);
    return pad(x, around, around);
}

/// NumPy's linalg: the functions without their namespace, `linalg::inv(a)`.
namespace linalg {
using catena::cholesky;
using catena::det;
using catena::eigh;
using catena::eigvalsh;
using catena::inv;
using catena::norm;
using catena::pinv;
using catena::qr;
using catena::solve;
using catena::svd;
}  // namespace linalg

/// NumPy's random, of Catena's random numbers.
namespace random {
using catena::choice;
using catena::permutation;
using catena::rand;
using catena::randint;
using catena::randn;
/// Seeds this thread's random numbers, as set_seed().
inline void seed(int64_t seed) { set_seed(seed); }
/// Independent draws from the normal distribution.
inline Variable normal(const Scalar& mean, const Scalar& deviation, const Shape& shape,
                       const std::source_location& at = std::source_location::current()) {
    return random_normal(mean, deviation, shape, config().dtype, at);
}
/// Independent draws from [low, high).
inline Variable uniform(const Scalar& low, const Scalar& high, const Shape& shape,
                        const std::source_location& at = std::source_location::current()) {
    return random_uniform(low, high, shape, config().dtype, at);
}
/// Rebinds x to its items along axis 0 in a random order; other handles keep the old array.
inline void shuffle(Array& x) { x = permutation(x).array(); }
}  // namespace random

}  // namespace catena
