#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// Makes 1 of each byte that is not 0 in an array of bool that was just read: a file may have any,
/// and C++ knows two. Arrays of other dtypes stay as they are.
void settle_bools(const Array& array);

}  // namespace catena
