#pragma once

#include "runtime/graph/op.h"

namespace catena {

// Spatial transformer networks (Jaderberg et al. 2015). Places in an image are between -1 and 1,
// its outermost pixels.

/// Where affine maps theta [B, 2, 3] of (x, y, 1) put the pixels of an image of output_shape (H,
/// W): [B, 2, H, W], x first.
Variable spatial_transformer_grid(const Operand& theta, const Dims& output_shape);
/// x [B, C, H0, W0] at the places of a grid [B, 2, H, W], bilinear, with zeros outside: [B, C, H,
/// W].
Variable spatial_transformer_sampler(const Operand& x, const Operand& grid);

}  // namespace catena
