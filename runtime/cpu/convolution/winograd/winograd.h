#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/column_statistics.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/convolution/tail/convolution_tail.h"

namespace catena {

// Convolutions with 3x3 weights and steps of one by Winograd's minimal filtering
// (runtime/cpu/convolution/winograd/winograd_transforms.h): a quarter of the multiplications of the
// definition, done as 36 matrix products by oneDNN. float32 only, for sizes where that is faster;
// the bits depend on the sizes alone, not on the number of threads.
//
// The error is about four times that of the definition in float32 (relative to the results' root
// mean square 7e-7 where the definition has 1.6e-7), and it is relative to the largest input of a
// tile of 6x6, not of a window of 3x3: inputs of which a tile has much larger ones than a window
// of it make these functions return false (even_windows.h). NaN and infinity stay where the
// definition puts them: so does a result that is not finite.
//
// Each returns false, and may have written some of its result, if the convolution must be computed
// in another way. CATENA_WINOGRAD=0 makes them always do so.

bool convolve_by_tiles(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
                       const Array& y);
/// Convolves by tiles and applies an epilogue, whose pointers are not null except for `other`; for
/// y with its channels last. `largest`: the largest magnitude of y.
bool convolve_by_tiles(const Array& x, const Array& W, const ConvolutionTail& tail,
                       const WindowSteps& steps, const Array& y, float& largest);
/// Convolves by tiles and gathers statistics of y's channels, which are valid if it returns true;
/// for y with its channels last.
bool convolve_by_tiles(const Array& x, const Array& W, const WindowSteps& steps, const Array& y,
                       ColumnStatistics& statistics);
bool convolve_data_by_tiles(const Array& gy, const Array& W, const WindowSteps& steps,
                            const Array& gx);
bool convolve_weights_by_tiles(const Array& x, const Array& gy, const WindowSteps& steps,
                               const Array& gW);

}  // namespace catena
