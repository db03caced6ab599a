#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// x times y, whose axes are those of x from `axis` on. Chainer's function. ShapeError where sizes
/// differ.
/// - axis: The axis of x that the first one of y is.
Variable scale(const Operand& x, const Operand& y, int64_t axis = 1);
/// x plus y, whose axes are those of x from `axis` on. Chainer's function. ShapeError where sizes
/// differ.
/// - axis: The axis of x that the first one of y is.
Variable bias(const Operand& x, const Operand& y, int64_t axis = 1);
/// p * x + (1 - p) * y, elementwise. Floats only; shapes broadcast. Chainer's function.
/// - p: The share of x.
/// - x, y: The values between which results lie.
Variable linear_interpolate(const Operand& p, const Operand& x, const Operand& y);
/// x itself.
Variable identity(const Operand& x);

}  // namespace catena
