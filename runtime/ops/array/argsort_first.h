#pragma once

#include "runtime/graph/variable/variable.h"

namespace catena {

/// The first `count` int32 indices of argsort(x, axis); when `largest`, those of the largest
/// elements, largest first: NaN come first then. Equal elements keep their order. Takes time for
/// finding them, not for sorting all.
Variable argsort_first(const Operand& x, int64_t count, int64_t axis = -1, bool largest = false);

}  // namespace catena
