#pragma once

#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// Convolutions with a kernel of one element, and their gradients, as products of matrices, without
/// a conversion of the operands: of [positions, channels] where images have their channels last, of
/// [channels, positions] for each image where they are row-major. Where oneDNN's convolution is not
/// faster (measured: benchmarks/convolutions.cpp); statistics are gathered with channels last,
/// wherever the product can be computed in tiles. What is chosen depends on sizes and memory orders
/// alone.
const ConvolutionWay& product_way();

}  // namespace catena
