#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"

namespace catena {

// Convolutions of float64, as products: what the results see of an image is a matrix [taps,
// positions] (im2col), with a tap for each element of an output channel's weights. All arrays are
// row-major and not empty; shapes as in convolution_kernel.h. Bits do not depend on the number of
// threads.

/// Computes y = x * W, or y += x * W, in float64.
void convolve_doubles(const Array& x, const Array& W, const WindowSteps& steps, const Array& y,
                      bool adds);
void convolve_data_doubles(const Array& gy, const Array& W, const WindowSteps& steps,
                           const Array& gx);
void convolve_weights_doubles(const Array& x, const Array& gy, const WindowSteps& steps,
                              const Array& gW);

}  // namespace catena
