#pragma once

#include "runtime/graph/arithmetic.h"

namespace catena {

// The intrinsics of formulas as functions of Variables, found by generic lambdas by name. Defined
// with the other mathematical functions.
Variable absolute(const Operand& x);  ///< The gradient at 0 is 0.
Variable floor(const Operand& x);
Variable ceil(const Operand& x);
Variable trunc(const Operand& x);  ///< Towards zero.
Variable sqrt(const Operand& x);
Variable rsqrt(const Operand& x);  ///< 1 / sqrt(x).
Variable exp(const Operand& x);
Variable expm1(const Operand& x);  ///< exp(x) - 1, exact near 0.
Variable log(const Operand& x);
Variable log1p(const Operand& x);  ///< log(1 + x), exact near 0.
Variable sin(const Operand& x);
Variable cos(const Operand& x);
Variable tanh(const Operand& x);
Variable erf(const Operand& x);
Variable erfc(const Operand& x);  ///< 1 - erf(x), exact for large x.

/// x summed over the dimensions that broadcasting `shape` to x's shape repeats.
Variable sum_to(const Operand& x, const Shape& shape);

/// What a gradient lambda returned on Variables, as a Variable: a plain number fills the shape of
/// v.back().
inline Variable as_result(const Variable& result, std::span<const Variable>) { return result; }
Variable as_result(double number, std::span<const Variable> v);

}  // namespace catena
