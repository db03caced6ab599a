#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The dtype of an operation on an array of `dtype` and the number `s`: `dtype`, unless the number
/// is of a higher kind (bool, integer, float). A float promotes booleans and integers to the
/// default float dtype (config().dtype), an integer promotes booleans to int32, as ChainerX does.
/// Only the C++ type of the number decides, never its value.
Dtype lifted(Dtype dtype, const Scalar& s);
/// x in the dtype that lifted(x.dtype(), s) gives. x may be undefined; the following operation then
/// throws.
Variable lifted(const Operand& x, const Scalar& s);

/// Calls an elementwise op on x and the numbers; x is first promoted by each of the numbers as
/// lifted() does.
Variable call_lifted(const OpDef& op, const Operand& x, std::initializer_list<Scalar> scalars);

/// Whether both hold integers or bools, so that their quotient has another dtype.
bool are_whole(const Variable& a, const Variable& b);
/// x, converted to the default float dtype (config().dtype) if it holds integers or bools.
Variable as_floats(const Operand& x);
/// The op of x: of integers and bools, as of floats.
Variable call_of_floats(const OpDef& op, const Operand& x);

}  // namespace catena
