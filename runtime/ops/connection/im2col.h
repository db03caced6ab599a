#pragma once

#include "runtime/ops/connection/convolution.h"

namespace catena {

/// The windows of a convolution as columns: x (N, C, H, W) becomes (N, C * kh * kw, H2, W2), where
/// channel (c * kh + u) * kw + v holds element (u, v) of every window of channel c, and H2 and W2
/// are the sizes of a convolution's result. Of any dtype. ShapeError where no window fits.
/// - x: (N, C, H, W).
/// - ksize: Size of a window: a number, or (kh, kw).
/// - stride: Distance of neighbouring windows: a number, or (down, across).
/// - pad: Zeros put on each side: a number, or (down, across).
/// - cover_all: Whether the last window may exceed the padded end, so that every element is in one.
/// - dilate: Distance of neighbouring elements of a window: a number, or (down, across).
Variable im2col(const Operand& x, const PerAxis& ksize, const PerAxis& stride = 1,
                const PerAxis& pad = 0, bool cover_all = false, const PerAxis& dilate = 1);

}  // namespace catena
