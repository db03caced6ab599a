#pragma once

#include "runtime/scalar/formula.h"

namespace catena {

// Functions that are no intrinsics but formulas of them: they fuse like any other arithmetic. One
// formula serves float32 and float64; tests/ops/special_test.cpp holds the accuracy of both over
// the whole range.

// Inverse trigonometric and hyperbolic functions.
Symbol arcsin(Symbol x);
Symbol arccos(Symbol x);
Symbol arctan(Symbol x);
/// The angle of the point (x, y), in [-pi, pi]; zeros have signs as in C.
Symbol arctan2(Symbol y, Symbol x);
/// sqrt(x^2 + y^2) without overflow; infinite where one of the two is, though the other is NaN.
Symbol hypot(Symbol x, Symbol y);
Symbol arcsinh(Symbol x);
Symbol arccosh(Symbol x);
Symbol arctanh(Symbol x);
/// sin(pi x) / (pi x).
Symbol sinc(Symbol x);

// The normal distribution's integral and relatives.
/// The scaled complement of the error function, exp(x^2) erfc(x).
Symbol erfcx(Symbol x);
Symbol erfinv(Symbol x);
Symbol erfcinv(Symbol x);
/// The integral of the standard normal density up to x.
Symbol ndtr(Symbol x);
/// The logarithm of ndtr, exact where ndtr underflows.
Symbol log_ndtr(Symbol x);
/// The inverse of ndtr.
Symbol ndtri(Symbol p);

// The gamma function's relatives. At the poles 0, -1, ... lgamma is inf; digamma is -inf at 0, else
// NaN.
/// The logarithm of the absolute value of the gamma function.
Symbol lgamma(Symbol x);
/// The derivative of lgamma.
Symbol digamma(Symbol x);
/// Hurwitz's zeta function: the sum of (q + k)^-x over k >= 0; NaN for x < 1 or q < 0.
Symbol zeta(Symbol x, Symbol q);
/// The derivative of order n of digamma; NaN for x < 0 and n > 4.
Symbol polygamma(Symbol n, Symbol x);
inline Symbol polygamma(double n, Symbol x) { return polygamma(literal(x.formula(), n), x); }

/// The polynomial c[0] + c[1] x + c[2] x^2 + ...
Symbol polynomial(Symbol x, std::initializer_list<double> c);

}  // namespace catena
