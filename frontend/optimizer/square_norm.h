#pragma once

#include <span>

#include "runtime/graph/variable/variable.h"

namespace catena {

/// Sum of the squares of all elements of all arrays, 0-d, in the type their elements are computed
/// in. One pass over memory; a recorder sees a sum of squares for each array and their sum. On the
/// first one's device.
Variable square_norm(std::span<const Variable> arrays);

}  // namespace catena
