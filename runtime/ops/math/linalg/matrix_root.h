#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// Symmetric matrices in the last two axes; axes before them are a batch. What is read of an
// argument is its symmetric part. Gradients exist wherever the result does, unlike those of
// eigenvectors, which equal eigenvalues do not have.

/// a^(-1/2) of symmetric positive definite matrices: the positive definite b with b a b = 1. The
/// symmetric part of a is read. It has gradients also where eigenvalues are equal. Floats only.
/// - a: (..., n, n).
Variable inverse_square_root(const Operand& a);
/// The x with a x + x a = q (Lyapunov's equation), for symmetric q and symmetric positive definite
/// a, whose symmetric parts are read. Floats only.
/// - a, q: (..., n, n).
Variable lyapunov(const Operand& a, const Operand& q);

}  // namespace catena
