#pragma once

#include "runtime/graph/arithmetic.h"

namespace catena {

// Division. `x / y` and floor_divide(x, y) are in runtime/graph/arithmetic.h; integers divided by
// integers give the default float dtype, as in NumPy and ChainerX.

/// What is left of x after floor division by y: of y's sign, where fmod has x's. Of integers
/// divided by 0, 0; of floats, NaN.
Variable remainder(const Operand& x, const Operand& y);
Variable remainder(const Operand& x, const Scalar& y);
Variable remainder(const Scalar& x, const Operand& y);
Variable operator%(const Operand& x, const Operand& y);
Variable operator%(const Operand& x, const Scalar& y);
Variable operator%(const Scalar& x, const Operand& y);

Variable floor_divide(const Operand& x, const Scalar& y);
Variable floor_divide(const Scalar& x, const Operand& y);

}  // namespace catena
