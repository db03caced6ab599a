#pragma once

#include "runtime/graph/variable/variable.h"

namespace catena::draws {

// Random numbers of standard distributions on the current device, from this thread's random state:
// a fixed number of operations on arrays, so the same bits eagerly, compiled and on devices.
// Without gradients.

/// Uniform numbers in (0, 1), both ends left out, so that logarithms are finite.
Variable uniform(const Shape& shape, Dtype dtype);
Variable normal(const Shape& shape, Dtype dtype);
/// Draws from the exponential distribution of rate 1.
Variable exponential(const Shape& shape, Dtype dtype);
/// Draws from the Gumbel distribution of location 0 and scale 1.
Variable gumbel(const Shape& shape, Dtype dtype);
/// Draws from the gamma distribution of shape k and scale 1, by Marsaglia and Tsang's (2000)
/// rejection in eight rounds, of which all fail once in 10^10 draws. k broadcasts to `shape`.
Variable gamma(const Variable& k, const Shape& shape);
/// Draws from the Poisson distribution of mean lam, as floats of lam's dtype: from its
/// probabilities below 10, above by Hoermann's (1993) rejection in 16 rounds.
Variable poisson(const Variable& lam, const Shape& shape);
/// Draws of a class along the last axis, with probability exp(log_p), as its number: int64.
Variable categorical(const Variable& log_p, const Shape& shape);

}  // namespace catena::draws
