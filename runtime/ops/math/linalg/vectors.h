#pragma once

#include "runtime/graph/op/op.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {

// Products of vectors and matrices, and their lengths, under NumPy's names. Integers are multiplied
// as floats where matmul has floats alone.

/// The product of two arrays, as NumPy's dot: of two vectors the sum of products; of matrices
/// matmul; of others the sum over the last axis of a and the last but one of b. A number
/// multiplies.
Variable dot(const Operand& a, const Operand& b);
/// The products of each element of a with each of b: [a's elements, b's elements].
Variable outer(const Operand& a, const Operand& b);
/// The Kronecker product: blocks that are b times each element of a.
Variable kron(const Operand& a, const Operand& b);
/// The cross product of vectors of three elements along the last axis.
Variable cross(const Operand& a, const Operand& b);
/// The sum of the k-th diagonal of a matrix.
Variable trace(const Operand& x, int64_t k = 0);

/// The length of vectors along the axes (of all elements without axes): sum(|x|^ord)^(1 / ord), of
/// infinity and -infinity the largest and the least |x|, of 0 how many are not 0. With ord 2 its
/// gradient at 0 is 0.
Variable norm(const Operand& x, double ord = 2, const ReductionAxes& axis = {},
              bool keepdims = false);

}  // namespace catena
