#pragma once

#include <cstdint>

#include "runtime/graph/op.h"

namespace catena {

// Special functions of single elements; float dtypes only, and they fuse as any arithmetic does
// (runtime/scalar/special.h).

// Inverse trigonometric and hyperbolic functions.
Variable arcsin(const Operand& x);
Variable arccos(const Operand& x);
Variable arctan(const Operand& x);
/// The angle of the point (x2, x1) in [-pi, pi], in the quadrant of the signs.
Variable arctan2(const Operand& x1, const Operand& x2);
Variable arcsinh(const Operand& x);
Variable arccosh(const Operand& x);
Variable arctanh(const Operand& x);
Variable sinc(const Operand& x);  ///< sin(pi x) / (pi x), 1 at 0.
Variable exp2(const Operand& x);  ///< 2 ** x.

// The normal distribution's integral.
Variable erfcx(const Operand& x);    ///< exp(x^2) erfc(x), finite for all x > -9 (float32).
Variable erfinv(const Operand& x);   ///< The inverse of erf: +-inf at +-1, NaN beyond.
Variable erfcinv(const Operand& x);  ///< The inverse of erfc, on [0, 2].
Variable ndtr(
    const Operand& x);  ///< The standard normal distribution's probability of less than x.
Variable log_ndtr(const Operand& x);  ///< Its logarithm, exact where it underflows.
Variable ndtri(const Operand& x);     ///< The inverse of ndtr, on [0, 1].

// The gamma function.
Variable lgamma(const Operand& x);   ///< log |gamma(x)|; inf at 0, -1, -2, ...
Variable digamma(const Operand& x);  ///< The derivative of lgamma.
/// Derivative n of digamma, n an array of integers from 0 on; for x < 0 only with n <= 4, else NaN.
/// Differentiable towards x.
Variable polygamma(const Operand& n, const Operand& x);
Variable polygamma(int64_t n, const Operand& x);
/// Hurwitz' zeta function, the sum of (q + k)^-x over k = 0, 1, ...; x > 1 and q >= 0, else NaN.
/// Differentiable towards q.
Variable zeta(const Operand& x, const Operand& q);

}  // namespace catena
