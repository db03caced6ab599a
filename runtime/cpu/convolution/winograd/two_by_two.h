#pragma once

#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// 3x3 convolutions of 2x2 images padded by one, and their gradients, by 9 multiplications an image
/// and pair of channels (runtime/cpu/convolution/winograd/minimal_filter.h). For sizes where
/// that is faster; the bits depend on the sizes alone, not on the number of threads. Errors are
/// those of the definition within a factor of two: weights and images are only added. Results that
/// are not finite must be computed in another way.
///
/// CATENA_WINOGRAD=0 turns it off.
const ConvolutionWay& two_by_two_way();

}  // namespace catena
