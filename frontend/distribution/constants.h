#pragma once

#include <cmath>
#include <numbers>

namespace catena::distributions {

/// Of the density of a normal distribution: the logarithm of sqrt(2 pi).
inline const double half_log_two_pi = 0.5 * std::log(2 * std::numbers::pi);

}  // namespace catena::distributions
