#pragma once

#include "runtime/core/array/shape.h"

namespace catena {

/// The motion of a window over up to 3 spatial axes; every list has one entry per axis.
struct WindowSteps {
    Dims stride, pad, dilate;
    int64_t groups = 1;
};

/// A convolution, with a bias or without, or its gradient towards the images or the weights.
enum class ConvolutionDirection : int64_t { forward, forward_bias, data, weights };

}  // namespace catena
