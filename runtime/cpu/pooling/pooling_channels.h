#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/pooling/pooling_kernel.h"

// The kernels of pooling_kernel.h for images with their channels last: the loop over channels is
// the inner one. All arrays of a call have their channels last. The same operations in the same
// order, so the same bits, but for average_pool_spread: where windows overlap, a processor may add
// a product without rounding it.
namespace catena::channels_last {

void max_pool(const Array& x, const PoolingWindow& window, const Array& y, const Array& index);
void max_pool_scatter(const Array& gy, const Array& index, const PoolingWindow& window,
                      const Array& gx);
void average_pool(const Array& x, const PoolingWindow& window, const Array& y);
void average_pool_spread(const Array& gy, const PoolingWindow& window, const Array& gx);

}  // namespace catena::channels_last
