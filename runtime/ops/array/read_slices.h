#pragma once

#include <vector>

#include "runtime/ops/array/indexing.h"
#include "runtime/ops/by_name/function.h"

namespace catena {

/// The argument "slices": [1, '2:5', '...', None, [0, 3]] are integers, slices in text, None for
/// newaxis, lists for index arrays.
std::vector<Index> read_slices(const FunctionArguments& a);

}  // namespace catena
