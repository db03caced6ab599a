#pragma once

#include "frontend/link/parameter.h"
#include "runtime/ops/array/deep_copy.h"

namespace catena {

/// A parameter with elements and gradient of its own: `Parameter b = a;` shares the elements until
/// one of the two is assigned, which writes through a pointer do not notice, and has no gradient.
Parameter deep_copy(const Parameter& param,
                    const std::source_location& at = std::source_location::current());

}  // namespace catena
