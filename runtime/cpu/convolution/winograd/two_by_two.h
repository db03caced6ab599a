#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"

namespace catena {

// 3x3 convolutions of 2x2 images padded by one, and their gradients, by 9 multiplications an image
// and pair of channels (runtime/cpu/convolution/winograd/two_by_two_transforms.h). float32 only,
// for sizes where that is faster; the bits depend on the sizes alone, not on the number of threads.
// Errors are those of the definition within a factor of two: weights and images are only added. A
// result that is not finite makes these functions return false.
//
// Each returns false, and may have written some of its result, if the convolution must be computed
// in another way. CATENA_WINOGRAD=0 makes them always do so.

bool convolve_two_by_two(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
                         const Array& y);
bool convolve_data_two_by_two(const Array& gy, const Array& W, const WindowSteps& steps,
                              const Array& gx);
bool convolve_weights_two_by_two(const Array& x, const Array& gy, const WindowSteps& steps,
                                 const Array& gW);

}  // namespace catena
