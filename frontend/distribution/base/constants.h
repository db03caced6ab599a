#pragma once

#include <cmath>
#include <numbers>

namespace catena::distributions {

/// The logarithm of sqrt(2 pi), which occurs in the density of a normal distribution.
inline const double half_log_two_pi = 0.5 * std::log(2 * std::numbers::pi);

}  // namespace catena::distributions
