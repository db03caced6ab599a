#pragma once

#include "runtime/graph/op.h"

namespace catena {

// Elementwise functions of one array. Float dtypes only, but for absolute, sign and square.

Variable exp(const Operand& x);
Variable expm1(const Operand& x);  ///< exp(x) - 1, exact near 0.
Variable log(const Operand& x);
Variable log1p(const Operand& x);  ///< log(1 + x), exact near 0.
Variable log2(const Operand& x);
Variable log10(const Operand& x);
Variable sqrt(const Operand& x);
Variable rsqrt(const Operand& x);  ///< 1 / sqrt(x).
Variable square(const Operand& x);
Variable reciprocal(const Operand& x);
Variable absolute(const Operand& x);  ///< The gradient at 0 is 0.
Variable sin(const Operand& x);
Variable cos(const Operand& x);
Variable tan(const Operand& x);
Variable sinh(const Operand& x);
Variable cosh(const Operand& x);
Variable tanh(const Operand& x);
Variable erf(const Operand& x);
Variable erfc(const Operand& x);  ///< 1 - erf(x), exact for large x.

// Without gradients.
Variable sign(const Operand& x);  ///< -1, 0 or 1; NaN of NaN.
Variable floor(const Operand& x);
Variable ceil(const Operand& x);
Variable trunc(const Operand& x);  ///< Towards zero.
Variable fix(const Operand& x);    ///< As trunc.

}  // namespace catena
