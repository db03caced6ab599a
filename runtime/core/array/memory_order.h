#pragma once

#include <cstdint>
#include <optional>

#include "runtime/core/array/shape.h"

namespace catena {

/// The order in which the elements of an array [N, C, spatial...] follow each other in memory,
/// without gaps. Arrays that users see are row-major (NCHW). Inside a compiled program images may
/// be channels-last (NHWC): N, spatial..., C from the outermost to the innermost. The shape does
/// not change.
enum class MemoryOrder : uint8_t { row_major, channels_last };

Strides strides_in(MemoryOrder order, const Shape& shape);
/// The order in which the elements lie; nothing where it is neither. Row-major where both fit: with
/// one channel, or one position.
std::optional<MemoryOrder> memory_order(const Shape& shape, const Strides& strides);

}  // namespace catena
