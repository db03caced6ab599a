#pragma once

#include "runtime/graph/op/arithmetic.h"

namespace catena {

// The intrinsics of formulas as functions of Variables, found by generic lambdas by name. Defined
// with the other mathematical functions.

/// |x|, elementwise; the gradient at 0 is 0. Integers and bools keep their dtype.
Variable absolute(const Operand& x);
/// The largest integer that is at most x, elementwise, in x's dtype; without gradient.
Variable floor(const Operand& x);
/// The smallest integer that is at least x, elementwise, in x's dtype; without gradient.
Variable ceil(const Operand& x);
/// x without what is behind its point, towards 0, elementwise, in x's dtype; without gradient.
Variable trunc(const Operand& x);
/// The square root, elementwise; NaN of negative numbers. Integers and bools are taken as floats.
Variable sqrt(const Operand& x);
/// 1 / sqrt(x), elementwise. Integers and bools are taken as floats.
Variable rsqrt(const Operand& x);
/// e^x, elementwise. Integers and bools are taken as floats.
Variable exp(const Operand& x);
/// exp(x) - 1, elementwise, exact near 0. Integers and bools are taken as floats.
Variable expm1(const Operand& x);
/// The natural logarithm, elementwise; -inf of 0, NaN of negative numbers. Integers and bools are
/// taken as floats.
Variable log(const Operand& x);
/// log(1 + x), elementwise, exact near 0. Integers and bools are taken as floats.
Variable log1p(const Operand& x);
/// The sine of x in radians, elementwise. Integers and bools are taken as floats.
Variable sin(const Operand& x);
/// The cosine of x in radians, elementwise. Integers and bools are taken as floats.
Variable cos(const Operand& x);
/// The hyperbolic tangent, elementwise. Integers and bools are taken as floats.
Variable tanh(const Operand& x);
/// The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x, elementwise.
/// Integers and bools are taken as floats.
Variable erf(const Operand& x);
/// 1 - erf(x), elementwise, exact for large x. Integers and bools are taken as floats.
Variable erfc(const Operand& x);

/// x summed over the axes that broadcasting an array of `shape` to x's shape repeats: the result
/// has that shape. ShapeError where it does not broadcast so.
/// - shape: That of the result.
Variable sum_to(const Operand& x, const Shape& shape);

/// Turns the result of a gradient lambda that ran on Variables into a Variable: a plain number
/// fills the shape of v.back().
inline Variable as_result(const Variable& result, std::span<const Variable>) { return result; }
Variable as_result(double number, std::span<const Variable> v);

}  // namespace catena
