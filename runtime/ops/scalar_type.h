#pragma once

#include "runtime/ops/op.h"

namespace catena {

/// The dtype in which an array of `dtype` meets the number `s`: its own, unless the number is of a higher kind (bool,
/// integer, float). A float lifts booleans and integers to the default float dtype (config().dtype), an integer lifts
/// booleans to int32, as ChainerX does. Only the C++ type of the number decides, never its value.
Dtype lifted(Dtype dtype, const Scalar& s);
/// x in that dtype. x may be undefined, for the operation that follows to refuse.
Variable lifted(const Operand& x, const Scalar& s);

/// Where an elementwise op takes an array and numbers: the call, with x lifted by each of them.
Variable call_lifted(const OpDef& op, const Operand& x, std::initializer_list<Scalar> scalars);

}  // namespace catena
