#pragma once

#include "runtime/ops/connection/convolution.h"

namespace catena {

/// A convolution of every channel with filters of its own: channel c * M + m of the result, (N, C *
/// M, H2, W2), is channel c of x with filter m. Chainer's function. Floats only.
/// - x: (N, C, H, W).
/// - W: Filters, (M, C, kh, kw).
/// - b: Added to each channel of the result, (C * M).
/// - stride: Distance of neighbouring windows: a number, or (down, across).
/// - pad: Zeros put on each side: a number, or (down, across).
Variable depthwise_convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                                  const PerAxis& stride = 1, const PerAxis& pad = 0);

/// A convolution without shared weights: filters differ from position to position. The result is
/// (N, O, H2, W2), without padding. Chainer's function. Floats only.
/// - x: (N, C, H, W).
/// - W: Filters, (O, H2, W2, C, kh, kw).
/// - b: Added to the result, (O, H2, W2).
/// - stride: Distance of neighbouring windows: a number, or (down, across).
Variable local_convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                              const PerAxis& stride = 1);

/// Channels moved against each other (Wu et al. 2018, "Shift: A Zero FLOP, Zero Parameter
/// Alternative to Spatial Convolutions"): the channels of x are kh * kw groups, each moved by its
/// place in the kernel, from the middle, times `dilate`, with zeros moved in. The group that stays
/// is the last one. Of any dtype.
/// - x: (N, C, H, W).
/// - ksize: Size of the kernel: an odd number, or (kh, kw), ValueError for even ones.
/// - dilate: Pixels from one place of the kernel to the next: a number, or (down, across).
Variable shift(const Operand& x, const PerAxis& ksize = 3, const PerAxis& dilate = 1);

}  // namespace catena
