#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"

namespace catena {

// Convolutions with 4x4 weights in steps of two, as generators and discriminators have them, and
// their gradients: of the four phases of the images, each with 2x2 of the taps, added up; these by
// Winograd's minimal filtering (runtime/cpu/convolution/winograd/phase_transforms.h). That is 25
// multiplications where the definition has 64. float32 only, for sizes where that is faster; the
// bits depend on the sizes alone, not on the number of threads.
//
// The error is about twice that of the definition in float32, and it is relative to the largest
// input of a tile of 10x10. NaN and infinity stay where the definition puts them: a result that is
// not finite makes these functions return false.
//
// Each returns false, and may have written some of its result, if the convolution must be computed
// in another way. CATENA_WINOGRAD=0 makes them always do so.

bool convolve_by_phases(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
                        const Array& y);
bool convolve_data_by_phases(const Array& gy, const Array& W, const WindowSteps& steps,
                             const Array& gx);
bool convolve_weights_by_phases(const Array& x, const Array& gy, const WindowSteps& steps,
                                const Array& gW);

}  // namespace catena
