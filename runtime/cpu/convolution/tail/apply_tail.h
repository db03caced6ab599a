#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/tail/convolution_tail.h"

namespace catena {

/// Applies an epilogue to y, which is [N, C, spatial...], float32, in one of the two memory orders
/// (runtime/core/array/memory_order.h). Returns the largest magnitude of the result; not finite if
/// that is true of any element.
float apply_tail(const ConvolutionTail& tail, const Array& y);

/// The largest magnitude of float32 elements without gaps; not finite if that is true of any
/// element.
float largest_magnitude(const Array& x);

}  // namespace catena
