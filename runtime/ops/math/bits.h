#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// The bits of integers in two's complement; of bools, logic. Shapes broadcast and dtypes are
// promoted as in arithmetic; a number takes the array's dtype, which must hold it. Floats are a
// DtypeError. No gradient.

#define CATENA_BIT_FUNCTION(name, symbol)                           \
    Variable name(const Operand& x1, const Operand& x2);            \
    Variable name(const Operand& x1, const Scalar& x2);             \
    Variable name(const Scalar& x1, const Operand& x2);             \
    Variable operator symbol(const Operand& x1, const Operand& x2); \
    Variable operator symbol(const Operand& x1, const Scalar& x2);  \
    Variable operator symbol(const Scalar& x1, const Operand& x2);
/// The bits that both have, elementwise; of bools, logic. Integers and bools only (DtypeError);
/// shapes broadcast. No gradient.
CATENA_BIT_FUNCTION(bitwise_and, &)
/// The bits that either has, elementwise; of bools, logic. Integers and bools only (DtypeError);
/// shapes broadcast. No gradient.
CATENA_BIT_FUNCTION(bitwise_or, |)
/// The bits that one of the two has, elementwise; of bools, logic. Integers and bools only
/// (DtypeError); shapes broadcast. No gradient.
CATENA_BIT_FUNCTION(bitwise_xor, ^)
/// x1's bits moved to the left by x2 places, those beyond the width lost. A shift by the width or
/// more, or by less than 0, gives 0. Integers only (DtypeError); shapes broadcast. No gradient.
CATENA_BIT_FUNCTION(left_shift, <<)
/// x1's bits moved to the right by x2 places; a negative number is filled up with ones. A shift by
/// the width or more, or by less than 0, moves out all. Integers only (DtypeError); shapes
/// broadcast. No gradient.
CATENA_BIT_FUNCTION(right_shift, >>)
#undef CATENA_BIT_FUNCTION

/// The other bits, elementwise, in two's complement; of bools, logic. Integers and bools only
/// (DtypeError). No gradient.
Variable bitwise_not(const Operand& x);
Variable operator~(const Operand& x);

}  // namespace catena
