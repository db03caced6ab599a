#pragma once

#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// Convolutions by oneDNN. All that have no epilogue, or a bias; tails that add no image, for y
/// with its channels last, where no NaN can reach oneDNN's epilogue
/// (runtime/cpu/convolution/library_tail.h).
const ConvolutionWay& library_way();

}  // namespace catena
