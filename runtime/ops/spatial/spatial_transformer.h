#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// Spatial transformer networks (Jaderberg et al. 2015). Places in an image are between -1 and 1,
// its outermost pixels.

/// The places where affine maps put the pixels of an image: (N, 2, H, W), x first. Places are
/// between -1 and 1, the outermost pixels (Jaderberg et al. 2015, "Spatial Transformer Networks").
/// - theta: (N, 2, 3), matrices that are multiplied by (x, y, 1).
/// - output_shape: (H, W).
Variable spatial_transformer_grid(const Operand& theta, const Dims& output_shape);
/// Images read at the places of a grid, between pixels (bilinear) and with zeros outside: (N, C, H,
/// W). Gradients flow to x and the grid (Jaderberg et al. 2015, "Spatial Transformer Networks").
/// - x: (N, C, H0, W0).
/// - grid: (N, 2, H, W), between -1 and 1, the outermost pixels; x first, as
///   spatial_transformer_grid gives it.
Variable spatial_transformer_sampler(const Operand& x, const Operand& grid);

}  // namespace catena
