#pragma once

#include "runtime/graph/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// A convolution of x [N, C, H, W] with W [O, C, kh, kw] whose windows read each element at an
/// offset, between pixels and with zeros outside (Dai et al. 2017, arXiv:1703.06211). offset is [N,
/// 2 kh kw, positions down, positions across]: first all offsets across, then all down, row by row
/// of the window. b is [O] or undefined. Gradients flow to x, W, b and the offset.
Variable deformable_convolution_2d_sampler(const Operand& x, const Operand& offset,
                                           const Operand& W, const Operand& b,
                                           const PerAxis& stride = 1, const PerAxis& pad = 0);

}  // namespace catena
