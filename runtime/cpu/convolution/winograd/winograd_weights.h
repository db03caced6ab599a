#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/winograd/winograd_sizes.h"

namespace catena::winograd {

/// The gradient towards the weights by tiles. False if it must be computed in another way; some of
/// gW may then be written.
bool convolve_weights(const Sizes& sizes, const Array& x, const Array& gy, const Array& gW);

}  // namespace catena::winograd
