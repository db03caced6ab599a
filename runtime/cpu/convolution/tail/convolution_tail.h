#pragma once

#include <limits>

#include "runtime/core/array/array.h"

namespace catena {

/// The epilogue ("tail") of a convolution: its result becomes min(max((y + before) * scale + shift
/// + other, lowest), highest), where NaN stays NaN. Operands have one number for each channel,
/// except `other`, which has y's elements in y's memory order, and may be null.
struct ConvolutionTail {
    const float *before = nullptr, *scale = nullptr, *shift = nullptr, *other = nullptr;
    float lowest = -std::numeric_limits<float>::infinity(),
          highest = std::numeric_limits<float>::infinity();

    bool clips() const {
        return lowest != -std::numeric_limits<float>::infinity() ||
               highest != std::numeric_limits<float>::infinity();
    }
};

/// Applies an epilogue to y, which is [N, C, spatial...], float32, in one of the two memory orders
/// (runtime/core/array/memory_order.h). Returns the largest magnitude of the result; not finite if
/// that is true of any element.
float apply_tail(const ConvolutionTail& tail, const Array& y);

/// The largest magnitude of float32 elements without gaps; not finite if that is true of any
/// element.
float largest_magnitude(const Array& x);

}  // namespace catena
