#pragma once

#include "runtime/graph/op/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// A convolution whose windows read every element at an offset of its own, between pixels, and
/// zeros outside of x (Dai et al. 2017, "Deformable Convolutional Networks"). Gradients flow to x,
/// offset, W and b. Chainer's function.
/// - x: (N, C, H, W).
/// - offset: (N, 2 * kh * kw, H2, W2), in pixels: first all offsets across, then all down, row by
///   row of the window.
/// - W: Filters, (O, C, kh, kw).
/// - b: Added to each channel of the result, (O).
/// - stride: Distance of neighbouring windows: a number, or (down, across).
/// - pad: Zeros put on each side: a number, or (down, across).
Variable deformable_convolution_2d_sampler(const Operand& x, const Operand& offset,
                                           const Operand& W, const Operand& b,
                                           const PerAxis& stride = 1, const PerAxis& pad = 0);

}  // namespace catena
