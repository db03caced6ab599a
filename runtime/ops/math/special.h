#pragma once

#include <cstdint>

#include "runtime/graph/op/op.h"

namespace catena {

// Special functions of single elements, which fuse as any arithmetic does
// (runtime/scalar/special.h). Integers and bools give floats.

// Inverse trigonometric and hyperbolic functions.

/// The inverse sine, in [-pi / 2, pi / 2], elementwise; NaN outside of [-1, 1].
Variable arcsin(const Operand& x);
/// The inverse cosine, in [0, pi], elementwise; NaN outside of [-1, 1].
Variable arccos(const Operand& x);
/// The inverse tangent, in [-pi / 2, pi / 2], elementwise.
Variable arctan(const Operand& x);
/// The angle of the point (x2, x1) in [-pi, pi], in the quadrant of the signs, elementwise. Shapes
/// broadcast.
/// - x1: The ordinate.
/// - x2: The abscissa.
Variable arctan2(const Operand& x1, const Operand& x2);
/// The length sqrt(x1^2 + x2^2), elementwise, without overflow: infinity where one of the two is
/// infinite, though the other is NaN. The gradient at (0, 0) is 0. Shapes broadcast.
Variable hypot(const Operand& x1, const Operand& x2);
/// The inverse hyperbolic sine, elementwise.
Variable arcsinh(const Operand& x);
/// The inverse hyperbolic cosine, elementwise; NaN below 1.
Variable arccosh(const Operand& x);
/// The inverse hyperbolic tangent, elementwise; NaN outside of [-1, 1].
Variable arctanh(const Operand& x);
/// sin(pi x) / (pi x), 1 at 0, elementwise.
Variable sinc(const Operand& x);
/// 2^x, elementwise.
Variable exp2(const Operand& x);

// The normal distribution's integral.

/// exp(x^2) erfc(x), elementwise, finite for all x > -9 (float32).
Variable erfcx(const Operand& x);
/// The inverse of erf, elementwise: +-inf at +-1, NaN beyond.
Variable erfinv(const Operand& x);
/// The inverse of erfc, elementwise, on [0, 2].
Variable erfcinv(const Operand& x);
/// The probability that a standard normal number is less than x, elementwise.
Variable ndtr(const Operand& x);
/// The logarithm of ndtr(x), elementwise, exact where ndtr underflows.
Variable log_ndtr(const Operand& x);
/// The inverse of ndtr, elementwise, on [0, 1].
Variable ndtri(const Operand& x);

// The gamma function.

/// log |gamma(x)|, elementwise; inf at 0, -1, -2, ...
Variable lgamma(const Operand& x);
/// The derivative of lgamma, elementwise: -inf at 0, NaN at -1, -2, ...
Variable digamma(const Operand& x);
/// The n-th derivative of digamma, elementwise; for x < 0 up to n = 4, else NaN. Differentiable
/// towards x.
/// - n: Integers from 0 on.
/// - x: Floating point.
Variable polygamma(const Operand& n, const Operand& x);
Variable polygamma(int64_t n, const Operand& x);
/// Hurwitz' zeta function, elementwise: the sum of (q + k)^-x over k = 0, 1, ... Differentiable
/// towards q.
/// - x: Greater than 1; NaN elsewhere.
/// - q: 0 or more; NaN elsewhere.
Variable zeta(const Operand& x, const Operand& q);

}  // namespace catena
