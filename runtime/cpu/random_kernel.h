#pragma once

#include "runtime/core/array/array.h"
#include "runtime/core/random/random.h"

namespace catena {

/// Writes elements `first`... of a stream, the same bits as uniform<float>(stream, first + i).
void uniform_block(const RandomStream& stream, uint64_t first, float* to, int64_t n);

/// Writes all elements of a stream for an image of `images` x `channels` x `positions` that is
/// stored with its channels last. The numbers are the same as in row-major order.
void uniform_channels_last(const RandomStream& stream, float* to, int64_t images, int64_t channels,
                           int64_t positions);

/// Computes dropout: y = x * scale where a draw from [0, 1) is at least `ratio`, else 0, with scale
/// = 1 / (1 - ratio). x and y are contiguous and of one dtype, float32 or float64.
void dropout_elements(const RandomStream& stream, const Array& x, double ratio, const Array& y);

}  // namespace catena
