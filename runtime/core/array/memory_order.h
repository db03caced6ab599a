#pragma once

#include <cstdint>
#include <optional>

#include "runtime/core/array/shape.h"

namespace catena {

/// How the elements of an array [N, C, spatial...] follow each other in memory, without gaps.
/// Arrays that users see are row-major; inside of a compiled program images may have their channels
/// last: N, spatial..., C from the outermost to the innermost. The shape is the same.
enum class MemoryOrder : uint8_t { row_major, channels_last };

Strides strides_in(MemoryOrder order, const Shape& shape);
/// Nothing where the elements are in neither order. Row-major where both are true: with one
/// channel, or one position.
std::optional<MemoryOrder> memory_order(const Shape& shape, const Strides& strides);

}  // namespace catena
