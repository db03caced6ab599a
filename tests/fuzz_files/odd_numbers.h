#pragma once

#include <cstdint>
#include <string>

#include "tests/support/mutator.h"

namespace catena::fuzz {

/// Numbers at which sizes, axes and counts of files go wrong: around 0, around a power of two that
/// a type ends at, so large that a product of two overflows, or close to `near`.
int64_t odd_integer(int64_t near, testing::Random& random);
/// Zeros, infinities, NaN, and numbers that no integer holds.
double odd_float(testing::Random& random);

}  // namespace catena::fuzz
