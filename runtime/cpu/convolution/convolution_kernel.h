#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"

namespace catena {

// x is [N, C, spatial...], W [O, C/groups, kernel...], y [N, O, positions...]; floats of one dtype,
// results row-major or, images alone, with their channels last (runtime/core/array/memory_order.h),
// any strides of the inputs. bfloat16 images and weights are summed in float32 and rounded once, by
// instructions for them where the processor has those (runtime/cpu/product/bfloat16.h), else
// widened. The number of positions is y's, whatever rule it came from: windows may pass the end of
// x.

/// Computes the convolution y = x * W (cross-correlation) + b, b being [O] or undefined.
void convolve(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
              const Array& y);
/// Computes gx, the gradient of convolve() towards x.
void convolve_data(const Array& gy, const Array& W, const WindowSteps& steps, const Array& gx);
/// Computes gW, the gradient of convolve() towards W.
void convolve_weights(const Array& x, const Array& gy, const WindowSteps& steps, const Array& gW);

}  // namespace catena
