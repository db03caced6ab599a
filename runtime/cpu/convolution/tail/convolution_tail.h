#pragma once

#include <limits>

#include "runtime/core/array/array.h"

namespace catena {

/// What is done with a convolution's result before anybody reads it: min(max((y + before) * scale +
/// shift + other, lowest), highest), where NaN stays NaN. One number for each channel, but `other`,
/// which has y's elements in y's memory order, and may be null.
struct ConvolutionTail {
    const float *before = nullptr, *scale = nullptr, *shift = nullptr, *other = nullptr;
    float lowest = -std::numeric_limits<float>::infinity(),
          highest = std::numeric_limits<float>::infinity();

    bool clips() const {
        return lowest != -std::numeric_limits<float>::infinity() ||
               highest != std::numeric_limits<float>::infinity();
    }
};

/// Does that to y, which is [N, C, spatial...], float32, in one of the two memory orders
/// (runtime/core/array/memory_order.h). Returns the largest magnitude of what is there then; not
/// finite if that is true of any element.
float apply_tail(const ConvolutionTail& tail, const Array& y);

/// Of float32 elements without gaps; not finite if that is true of any element.
float largest_magnitude(const Array& x);

}  // namespace catena
