#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena::testing {

/// Where each array's elements lie: "strides [3,1], row-major, at 0 of storage 0". Storages are
/// numbered in the order of their first array, so that two runs can be compared. Asks for no
/// elements.
std::vector<std::string> memory_of(std::span<const Array> arrays);

/// The elements as they follow each other in memory from the first on, as if row-major: what code
/// sees that reads by a pointer after as_contiguous(). For arrays that are contiguous().
std::vector<double> by_pointer(const Array& array);

}  // namespace catena::testing
