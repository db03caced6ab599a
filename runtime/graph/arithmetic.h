#pragma once

#include "runtime/graph/op.h"

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

Variable add(std::span<const Variable> xs);  ///< Sum of one or more equally typed arrays.
Variable floor_divide(const Operand& a, const Operand& b);  ///< floor(a / b); no gradient.
Variable pow(const Operand& x, const Scalar& exponent);     ///< x ** exponent.
Variable pow(const Scalar& base, const Operand& exponent);
Variable pow(const Operand& base, const Operand& exponent);
Variable fmod(const Operand& x, const Operand& divisor);  ///< C's fmod: the sign of x.
/// The larger; at a tie the gradient goes to x1. NaN propagates.
Variable maximum(const Operand& x1, const Operand& x2);
Variable minimum(const Operand& x1, const Operand& x2);
Variable maximum(const Operand& x1, const Scalar& x2);
Variable minimum(const Operand& x1, const Scalar& x2);
/// condition ? x : y; condition of any dtype, "not 0"; not differentiated.
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
/// A 0-d or filled array of a scalar, readable by later ops; the scalar stays a run-time argument.
Variable fill(const Type& type, const Scalar& value,
              const std::source_location& at = std::source_location::current());
Variable cast(const Operand& x, Dtype dtype);  ///< Gradient cast back; same dtype returns x.
/// 1 or 0 in `like`'s dtype from a bool array.
Variable as_number(const Operand& truth);

}  // namespace catena
