#pragma once

#include "runtime/ops/connection/convolution.h"

namespace catena {

/// A convolution of every channel of x [N, C, H, W] with filters of its own: W is [M, C, kh, kw],
/// and result channel c M + m is channel c with filter m. b is [C M] or undefined.
Variable depthwise_convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                                  const PerAxis& stride = 1, const PerAxis& pad = 0);

/// A convolution with other filters at every position: W is [O, positions down, positions across,
/// C, kh, kw], b [O, positions down, positions across] or undefined.
Variable local_convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                              const PerAxis& stride = 1);

/// The channels of x [N, C, H, W] in kh kw groups, each moved by its place in an odd kernel times
/// `dilate`, with zeros moved in (Wu et al. 2018). The group that stays is the last one.
Variable shift(const Operand& x, const PerAxis& ksize = 3, const PerAxis& dilate = 1);

}  // namespace catena
