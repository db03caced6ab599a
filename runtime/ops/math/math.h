#pragma once

#include "runtime/graph/op.h"
#include "runtime/graph/variable_math.h"  // exp expm1 log log1p sqrt rsqrt sin cos tanh erf erfc absolute floor ceil trunc

namespace catena {

// Elementwise functions of one array. Integers and bools are taken as floats (config().dtype), but
// absolute, sign, square and the roundings keep them.

Variable log2(const Operand& x);
Variable log10(const Operand& x);
Variable square(const Operand& x);
Variable reciprocal(const Operand& x);
Variable tan(const Operand& x);
Variable sinh(const Operand& x);
Variable cosh(const Operand& x);

// Without gradients.
Variable sign(const Operand& x);  ///< -1, 0 or 1; NaN of NaN.
Variable fix(const Operand& x);   ///< As trunc.

}  // namespace catena
