#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// The matrices in the last two axes of an array after op(), which transposes or does not, and the
/// strides of its batches.
struct Matrices {
    Array array;
    int64_t rows, columns, row_stride, column_stride;
    Strides batch_strides;  ///< One stride per batch axis of the product; 0 where broadcast.
};

/// The matrices of `array`; `batch`: the axes of the product before its last two.
Matrices matrices_of(const Array& array, bool transposed, const Shape& batch);
Shape batch_of(const Array& y);
/// Element offset of batch `index` (row-major over `batch`).
int64_t batch_offset(const Shape& batch, const Strides& strides, int64_t index);

}  // namespace catena
