#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/winograd/phase_sizes.h"

namespace catena::polyphase {

/// The gradient towards the weights by phases. False if it must be computed in another way; some of
/// gW may then be written.
bool convolve_weights(const Sizes& sizes, const Array& x, const Array& gy, const Array& gW);

}  // namespace catena::polyphase
