#pragma once

#include <optional>

#include "runtime/graph/op/op.h"
#include "runtime/graph/op/variable_math.h"  // exp expm1 log log1p sqrt rsqrt sin cos tanh erf erfc absolute floor ceil trunc

namespace catena {

// Elementwise functions of one array. Integers and bools are taken as floats (config().dtype), but
// absolute, sign, square and the roundings keep them.

/// The logarithm to base 2, elementwise. Integers and bools are taken as floats.
Variable log2(const Operand& x);
/// The logarithm to base 10, elementwise. Integers and bools are taken as floats.
Variable log10(const Operand& x);
/// x^2, elementwise. Integers and bools keep their dtype.
Variable square(const Operand& x);
/// 1 / x, elementwise. Integers and bools are taken as floats.
Variable reciprocal(const Operand& x);
/// The tangent of x in radians, elementwise. Integers and bools are taken as floats.
Variable tan(const Operand& x);
/// The hyperbolic sine, elementwise. Integers and bools are taken as floats.
Variable sinh(const Operand& x);
/// The hyperbolic cosine, elementwise. Integers and bools are taken as floats.
Variable cosh(const Operand& x);

/// log(exp(a) + exp(b)) without overflow.
Variable logaddexp(const Operand& a, const Operand& b);

/// The numbers that nan_to_num puts in the place of NaN and infinities. If not given, infinities
/// become the largest and the least number of the dtype.
struct NanToNum {
    /// The number in place of NaN.
    double nan = 0;
    /// In place of infinity, and of minus infinity; if not given, the largest and the least number
    /// of the dtype.
    std::optional<double> posinf = {}, neginf = {};
};
/// x with numbers in the place of NaN and infinities.
Variable nan_to_num(const Operand& x, const NanToNum& options = {});

// Without gradients.

/// x rounded to `decimals` digits after the point, or before it where negative; ties go to the even
/// digit.
Variable round(const Operand& x, int decimals = 0);
/// -1, 0 or 1, elementwise, in x's dtype; NaN of NaN. Without gradient.
Variable sign(const Operand& x);
/// x without the digits behind its point, in x's dtype, as trunc. Without gradient.
Variable fix(const Operand& x);

}  // namespace catena
