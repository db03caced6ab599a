#pragma once

#include "runtime/ops/connection/convolution.h"

namespace catena {

/// The windows of a convolution as columns: x [N, C, H, W] gives [N, C kh kw, positions down,
/// positions across]. Padding is zeros; stride, pad, cover_all and dilate as in a convolution.
Variable im2col(const Operand& x, const PerAxis& ksize, const PerAxis& stride = 1,
                const PerAxis& pad = 0, bool cover_all = false, const PerAxis& dilate = 1);

}  // namespace catena
