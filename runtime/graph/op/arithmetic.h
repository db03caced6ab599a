#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// Elementwise arithmetic with NumPy broadcasting. Types are promoted (see promote). A number takes
// the array's dtype, unless it is of a higher kind: an int32 array * 0.5 is of the default float
// dtype, * 2 of int32 (see lifted in runtime/ops/define/scalar_type.h). Gradients at ties are
// documented where there is a choice.

#define CATENA_BINARY_OPERATOR(symbol)                            \
    Variable operator symbol(const Operand& a, const Operand& b); \
    Variable operator symbol(const Operand& a, const Scalar& b);  \
    Variable operator symbol(const Scalar& a, const Operand& b);
CATENA_BINARY_OPERATOR(+)
CATENA_BINARY_OPERATOR(-)
CATENA_BINARY_OPERATOR(*)
CATENA_BINARY_OPERATOR(/)
// Comparisons give bool arrays; NaN compares unequal to everything.
CATENA_BINARY_OPERATOR(==)
CATENA_BINARY_OPERATOR(!=)
CATENA_BINARY_OPERATOR(<)
CATENA_BINARY_OPERATOR(<=)
CATENA_BINARY_OPERATOR(>)
CATENA_BINARY_OPERATOR(>=)
#undef CATENA_BINARY_OPERATOR
Variable operator-(const Operand& x);
Variable operator!(const Operand& x);  ///< 1 where x is 0, as bool.
Variable operator&&(const Operand& a,
                    const Operand& b);  ///< Elementwise, both sides computed; bool.
Variable operator||(const Operand& a, const Operand& b);

/// x1 + x2 + ... of one or more arrays, elementwise. Shapes broadcast, and dtypes are promoted.
Variable add(std::span<const Variable> xs);
/// floor(x1 / x2), elementwise, as Python's `//`; without gradient. Integers divided by 0 give 0.
/// Shapes broadcast, and dtypes are promoted.
Variable floor_divide(const Operand& a, const Operand& b);
/// x^exponent, elementwise.
Variable pow(const Operand& x, const Scalar& exponent);
Variable pow(const Scalar& base, const Operand& exponent);
Variable pow(const Operand& base, const Operand& exponent);
/// The rest of x divided by the divisor, elementwise, with the sign of x, as C's and NumPy's fmod.
/// Shapes broadcast, and dtypes are promoted.
Variable fmod(const Operand& x, const Operand& divisor);
/// The larger of two elements; at a tie the gradient goes to x1. NaN propagates. Shapes broadcast,
/// and dtypes are promoted.
Variable maximum(const Operand& x1, const Operand& x2);
/// The smaller of two elements; at a tie the gradient goes to x1. NaN propagates. Shapes broadcast,
/// and dtypes are promoted.
Variable minimum(const Operand& x1, const Operand& x2);
Variable maximum(const Operand& x1, const Scalar& x2);
Variable minimum(const Operand& x1, const Scalar& x2);
/// x where the condition is not 0, elsewhere y, elementwise. Shapes broadcast, and dtypes of x and
/// y are promoted. No gradient flows to the condition.
/// - condition: Of any dtype.
Variable where(const Operand& condition, const Operand& x, const Operand& y);
Variable where(const Operand& condition, const Operand& x, const Scalar& y);
Variable where(const Operand& condition, const Scalar& x, const Operand& y);

// What formulas use on Variables.
inline Variable select(const Operand& c, const Operand& a, const Operand& b) {
    return where(c, a, b);
}
inline Variable select(const Operand& c, const Operand& a, const Scalar& b) {
    return where(c, a, b);
}
inline Variable select(const Operand& c, const Scalar& a, const Operand& b) {
    return where(c, a, b);
}
/// An array filled with a number, which stays an argument of a compiled program, so that other
/// numbers do not compile anew.
/// - shape: That of the result.
/// - value: The number.
/// - dtype: That of the result.
Variable fill(const Type& type, const Scalar& value,
              const std::source_location& at = std::source_location::current());
/// x in another dtype; x itself where it has that one. The gradient is cast back. Chainer's
/// function.
/// - typ, dtype: That of the result.
Variable cast(const Operand& x, Dtype dtype);
/// 1 or 0 in `like`'s dtype from a bool array.
Variable as_number(const Operand& truth);

}  // namespace catena
