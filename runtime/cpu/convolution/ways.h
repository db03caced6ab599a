#pragma once

#include <span>

#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// All ways to compute a convolution, in the order in which they are asked whether they fit. The
/// last one computes whatever has no epilogue or a bias.
std::span<const ConvolutionWay* const> convolution_ways();

}  // namespace catena
