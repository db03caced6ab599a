#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/column_statistics.h"
#include "runtime/cpu/window_steps.h"

namespace catena {

// Convolutions with a kernel of one element are products of matrices, without a conversion of the
// operands: of [positions, channels] where images have their channels last, of [channels,
// positions] for each image where they are row-major. Each function returns false, and does
// nothing, for others and where oneDNN's convolution is faster (measured:
// benchmarks/convolutions.cpp). What is chosen depends on sizes and memory orders alone.
//
// float32; x and y in one of the two memory orders, W and gW row-major.

bool convolve_as_product(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
                         const Array& y);
/// Computes the convolution as a product and also the statistics of y's channels; for channels
/// last, wherever the product can be computed in tiles.
bool convolve_as_product(const Array& x, const Array& W, const WindowSteps& steps, const Array& y,
                         ColumnStatistics& statistics);
bool convolve_data_as_product(const Array& gy, const Array& W, const WindowSteps& steps,
                              const Array& gx);
bool convolve_weights_as_product(const Array& x, const Array& gy, const WindowSteps& steps,
                                 const Array& gW);

}  // namespace catena
