#pragma once

#include <optional>

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

/// log(exp(a) + exp(b)) without overflow.
Variable logaddexp(const Operand& a, const Operand& b);

/// What nan_to_num puts in the place of what is no number: the largest and the least of the dtype
/// if not given.
struct NanToNum {
    double nan = 0;
    std::optional<double> posinf = {}, neginf = {};
};
Variable nan_to_num(const Operand& x, const NanToNum& options = {});

// Without gradients.
/// To `decimals` digits after the point, or before it where negative; ties go to the even digit.
Variable round(const Operand& x, int decimals = 0);
Variable sign(const Operand& x);  ///< -1, 0 or 1; NaN of NaN.
Variable fix(const Operand& x);   ///< As trunc.

}  // namespace catena
