#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// What the operations of linear algebra have in common.

/// Registers an operation whose kernel calls LAPACK, on the host.
const OpDef& linear_algebra(OpDef op);

/// The type of an input, checked to be matrices (square_matrices: square ones) of float32 or
/// float64.
Type matrices(const TypeCall& call, int input);
Type square_matrices(const TypeCall& call, int input);
/// The sizes of the axes before the last two.
Shape batch_of(const Shape& shape);

/// The results of an op of one array, computed in float32 for 16-bit floats and converted to the
/// array's dtype.
Variables in_working_precision(const OpDef& op, const Operand& a, const Attributes& attributes);

/// x with its last two axes swapped.
Variable transposed(const Variable& x);
/// A matrix [n,n] of x's dtype with the numbers `below`, `diagonal` and `above` the diagonal, on it
/// and above it.
Variable triangles(const Variable& x, int64_t n, double below, double diagonal, double above);

}  // namespace catena
