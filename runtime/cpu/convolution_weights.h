#pragma once

#include "runtime/cpu/convolution_primitive.h"

namespace catena {

/// gW in float32 of x and gy, which are of `sizes.dtype`. oneDNN would divide the batch by the number of threads and add up
/// in another order for other numbers; here the sizes alone say how it is divided, and the bits are
/// the same on any number of threads.
void convolution_weights(const ConvolutionSizes& sizes, const void* x, const void* gy, float* gW);

}  // namespace catena
