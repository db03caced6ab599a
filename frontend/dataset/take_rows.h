#pragma once

#include <cstdint>
#include <span>

#include "runtime/core/array/array.h"

namespace catena {

/// Rows of an array, copied in this order. ShapeError for a 0-d array, ValueError when an index is
/// outside.
Array take_rows(const Array& array, std::span<const int64_t> rows);

}  // namespace catena
