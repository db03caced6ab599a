#pragma once

#include <string>

#include "runtime/core/array/array.h"

namespace catena::fuzz {

/// "" when a compiled result is as near to float64's (`truth`, null when there is none) as the
/// eager one is, and integers are equal where they are `decided` without rounding; else where they
/// differ. `precision`: the coarsest type on the way. `wild`: elements may be beyond all measure,
/// so only where NaN and infinities are must agree, and numbers roughly.
std::string not_near(const Array& eager, const Array& compiled, const Array* truth, Dtype precision,
                     bool decided, bool wild);

/// The first element with other bits: "element 3 is 1.5, then 1.25".
std::string first_difference(const Array& a, const Array& b);

}  // namespace catena::fuzz
