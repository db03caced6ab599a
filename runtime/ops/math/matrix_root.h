#pragma once

#include "runtime/graph/op.h"

namespace catena {

// Symmetric matrices in the last two axes; axes before them are a batch. What is read of an
// argument is its symmetric part. Gradients exist wherever the result does, unlike those of
// eigenvectors, which equal eigenvalues do not have.

/// a^(-1/2): the positive definite b with b a b = 1, for positive definite a.
Variable inverse_square_root(const Operand& a);
/// The x with a x + x a = q, for positive definite a (Lyapunov's equation).
Variable lyapunov(const Operand& a, const Operand& q);

}  // namespace catena
