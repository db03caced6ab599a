#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// A pooling window over the last two axes; every list has two entries.
struct PoolingWindow {
    Dims size, stride, pad;
};

// Arrays are contiguous [N, C, H, W] of one dtype, float32 or float64; `index` is int32 and numbers
// the elements of a window row by row. Elements outside of x never win a maximum and count as 0 in
// an average.

void max_pool(const Array& x, const PoolingWindow& window, const Array& y, const Array& index);
/// The gradient of max pooling: adds gy into gx at the places in `index`; other elements are 0.
void max_pool_scatter(const Array& gy, const Array& index, const PoolingWindow& window,
                      const Array& gx);
/// Reads x at the places in `index`: the gradient of max_pool_scatter.
void max_pool_gather(const Array& x, const Array& index, const PoolingWindow& window,
                     const Array& y);

void average_pool(const Array& x, const PoolingWindow& window, const Array& y);
/// The gradient of average_pool.
void average_pool_spread(const Array& gy, const PoolingWindow& window, const Array& gx);

}  // namespace catena
