#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// Computes y (+)= op(a) op(b) over matrices in the last two axes, the axes before broadcast to
/// those of y. a and b may have any dtype and strides, and are converted to y's dtype first; y is
/// contiguous. 16-bit floats are summed in float32 (bfloat16 a and b as they are where the
/// processor can, runtime/cpu/product/bfloat16.h), integers wrap around, and for bool a product is
/// "and", a sum "or". With `accumulate` y is added to (float32 only).
void matmul_arrays(const Array& a, const Array& b, bool transa, bool transb, const Array& y,
                   bool accumulate = false);

}  // namespace catena
