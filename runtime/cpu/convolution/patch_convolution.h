#pragma once

#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// Computes the gradient towards images of few channels (network inputs) from gradients of results
/// with many channels, which are channels-last. A generator's last layer, a transposed convolution,
/// computes the same. Vectors along the images' few channels would have idle lanes, so vectors run
/// along patches (runtime/cpu/convolution/patches.h): gy [positions, out] times W [out, taps] gives
/// for each result its part of the window that it read, and these parts are added up in a core's
/// cache.
///
/// float32; each element is a sum over the results that see it, in the order of rows and columns,
/// of sums over channels, whatever the number of threads. No zeros are multiplied, so NaN and
/// infinity are where the definition puts them.
///
/// For sizes where that is faster than oneDNN (benchmarks/patch_convolutions.cpp), which is not so
/// of row-major gy: oneDNN's vectors run along its positions.
const ConvolutionWay& patch_way();

/// Whether it is faster for weights of this shape, where gy has its channels last. False without
/// AVX2 and with CATENA_PATCH_CONVOLUTIONS=0.
bool is_faster_by_patches(const Shape& W);

}  // namespace catena
