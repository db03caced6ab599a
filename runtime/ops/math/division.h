#pragma once

#include "runtime/graph/op/arithmetic.h"

namespace catena {

// Division. `x / y` and floor_divide(x, y) are in runtime/graph/op/arithmetic.h; integers divided
// by integers give the default float dtype, as in NumPy and ChainerX.

/// The remainder of x after floor division by y, elementwise, with the sign of y, as Python's `%`
/// (fmod has the sign of x). Of integers divided by 0 it is 0, of floats NaN. Shapes broadcast, and
/// dtypes are promoted.
Variable remainder(const Operand& x, const Operand& y);
Variable remainder(const Operand& x, const Scalar& y);
Variable remainder(const Scalar& x, const Operand& y);
Variable operator%(const Operand& x, const Operand& y);
Variable operator%(const Operand& x, const Scalar& y);
Variable operator%(const Scalar& x, const Operand& y);

Variable floor_divide(const Operand& x, const Scalar& y);
Variable floor_divide(const Scalar& x, const Operand& y);

}  // namespace catena
