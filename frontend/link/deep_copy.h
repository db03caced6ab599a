#pragma once

#include "frontend/link/parameter.h"
#include "runtime/ops/array/deep_copy.h"

namespace catena {

/// A copy of a parameter with elements and gradient of its own. (`Parameter b = a;` has no gradient
/// and shares the elements until one of the two is assigned, so writes through a pointer change
/// both.)
Parameter deep_copy(const Parameter& param,
                    const std::source_location& at = std::source_location::current());

}  // namespace catena
