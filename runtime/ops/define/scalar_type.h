#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// The dtype of an operation on an array of `dtype` and the number `s`: `dtype`, unless the number
/// is of a higher kind (bool, integer, float). A float promotes booleans and integers to the
/// default float dtype (config().dtype), an integer promotes booleans to int32, as ChainerX does.
/// Only the C++ type of the number decides, never its value.
Dtype lifted(Dtype dtype, const Scalar& s);
/// x in that dtype. x may be undefined; the following operation then throws.
Variable lifted(const Operand& x, const Scalar& s);

/// Calls an elementwise op on x, promoted by each of the numbers, and the numbers.
Variable call_lifted(const OpDef& op, const Operand& x, std::initializer_list<Scalar> scalars);

/// Whether both hold integers or bools, so that their quotient is of another dtype than they.
bool are_whole(const Variable& a, const Variable& b);
/// x, of the default float dtype (config().dtype) if it holds integers or bools.
Variable as_floats(const Operand& x);

}  // namespace catena
