#pragma once

#include <span>

#include "runtime/graph/variable/variable.h"

namespace catena {

/// Whether no element of any array is infinite or NaN: a bool, 0-d, on the first array's device.
/// Eagerly it is one pass over memory; a recorder sees a sum for each array.
Variable all_finite(std::span<const Variable> arrays);

}  // namespace catena
