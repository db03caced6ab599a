#pragma once

#include <limits>

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

}  // namespace catena
