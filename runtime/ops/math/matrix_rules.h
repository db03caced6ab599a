#pragma once

#include "runtime/graph/op.h"

namespace catena {

// What the operations of linear algebra have in common.

/// Registers an operation whose kernel calls LAPACK, on the host.
const OpDef& linear_algebra(OpDef op);

/// The type of an input, which must be matrices of float32 or float64; and square ones.
Type matrices(const TypeCall& call, int input);
Type square_matrices(const TypeCall& call, int input);
/// The axes before the last two.
Shape batch_of(const Shape& shape);

/// The op of one array, in float32 for 16-bit floats; results have the array's dtype.
Variables in_working_precision(const OpDef& op, const Operand& a, const Attributes& attributes);

/// The last two axes swapped.
Variable transposed(const Variable& x);
/// The matrix [n,n] with `below`, `diagonal` and `above` there, of x's dtype.
Variable triangles(const Variable& x, int64_t n, double below, double diagonal, double above);

}  // namespace catena
