#pragma once

#include <vector>

#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/by_name/function.h"

namespace catena {

/// The name of the argument that read_slices() reads.
inline constexpr const char* index_parameter = "slices";

/// The argument "slices": [1, '2:5', '...', None, [0, 3]] are integers, slices in text, None for
/// newaxis, lists of integers for index arrays, lists of bools for masks.
std::vector<Index> read_slices(const FunctionArguments& a);

}  // namespace catena
