#pragma once

#include "runtime/graph/op.h"

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
CATENA_BIT_FUNCTION(bitwise_and, &)
CATENA_BIT_FUNCTION(bitwise_or, |)
CATENA_BIT_FUNCTION(bitwise_xor, ^)
/// x1's bits moved by x2 places, those beyond the width lost; a shift by the width or more, or by
/// less than 0, moves out all. Bools are a DtypeError.
CATENA_BIT_FUNCTION(left_shift, <<)
/// Likewise; a negative number is filled up with ones.
CATENA_BIT_FUNCTION(right_shift, >>)
#undef CATENA_BIT_FUNCTION

Variable bitwise_not(const Operand& x);
Variable operator~(const Operand& x);

}  // namespace catena
