#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// x times y, whose axes are those of x from `axis` on.
Variable scale(const Operand& x, const Operand& y, int64_t axis = 1);
/// x plus y, whose axes are those of x from `axis` on.
Variable bias(const Operand& x, const Operand& y, int64_t axis = 1);
/// p * x + (1 - p) * y.
Variable linear_interpolate(const Operand& p, const Operand& x, const Operand& y);
/// x.
Variable identity(const Operand& x);

}  // namespace catena
