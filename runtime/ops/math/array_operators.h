#pragma once

#include <concepts>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/math/array_operator_list.h"
#include "runtime/ops/math/bits.h"
#include "runtime/ops/math/division.h"
#include "runtime/ops/math/math.h"

namespace catena {

// Operators between Arrays, and Arrays and numbers, give Arrays: no graph, the rules of
// arithmetic.h for shapes and dtypes. With a Variable on either side the result is a Variable. `a
// == b` of two Arrays asks whether they are the same array, as it does without this header;
// equal(a, b) compares elements (logic.h).

/// The right operand with the line where it is used. Made by implicit conversion; never stored.
class ArrayOperand {
public:
    ArrayOperand(const Array& array,
                 const std::source_location& at = std::source_location::current())
        : array_(array), at_(at) {}
    Operand operand() const { return Operand(array_, at_); }
    const std::source_location& location() const { return at_; }

private:
    const Array& array_;
    std::source_location at_;
};
class NumberOperand {
public:
    template <class T>
        requires std::convertible_to<const T&, Scalar>
    NumberOperand(const T& number, const std::source_location& at = std::source_location::current())
        : number_(number), at_(at) {}
    const Scalar& number() const { return number_; }
    const std::source_location& location() const { return at_; }

private:
    Scalar number_;
    std::source_location at_;
};

// Templates, as other types become Arrays where a function takes one: a Variable beside a number is
// none of these.
#define CATENA_WITH_NUMBERS(symbol, name)                       \
    Array name(const Array& a, const NumberOperand& b);         \
    Array name(const NumberOperand& a, const Array& b);         \
    template <std::same_as<Array> A>                            \
    Array operator symbol(const A& a, const NumberOperand& b) { \
        return name(a, b);                                      \
    }                                                           \
    template <std::same_as<Array> A>                            \
    Array operator symbol(const NumberOperand& a, const A& b) { \
        return name(a, b);                                      \
    }
#define CATENA_WITH_ARRAYS(symbol, name)                       \
    Array name(const Array& a, const ArrayOperand& b);         \
    template <std::same_as<Array> A>                           \
    Array operator symbol(const A& a, const ArrayOperand& b) { \
        return name(a, b);                                     \
    }                                                          \
    CATENA_WITH_NUMBERS(symbol, name)
CATENA_EACH_ARRAY_OPERATOR(CATENA_WITH_ARRAYS)
CATENA_EACH_NUMBER_OPERATOR(CATENA_WITH_NUMBERS)
#undef CATENA_WITH_ARRAYS
#undef CATENA_WITH_NUMBERS

template <std::same_as<Array> A>
Array operator&&(const A& a, const ArrayOperand& b);
template <std::same_as<Array> A>
Array operator||(const A& a, const ArrayOperand& b);
template <std::same_as<Array> A>
Array operator-(const A& x);
template <std::same_as<Array> A>
Array operator!(const A& x);
template <std::same_as<Array> A>
Array operator~(const A& x);
extern template Array operator&&(const Array& a, const ArrayOperand& b);
extern template Array operator||(const Array& a, const ArrayOperand& b);
extern template Array operator-(const Array& x);
extern template Array operator!(const Array& x);
extern template Array operator~(const Array& x);

// `a += b` is `a = a + b`: a becomes another array (or Variable, whose graph goes on), and other
// handles of the old one keep it. The result must be of a's type: a DtypeError where b would
// promote it (integers += 0.5), a ShapeError where b would broadcast it. Of Parameters and other
// States: frontend/link/state_operators.h.

#define CATENA_IN_PLACE(symbol, in_place)                               \
    void in_place(Variable& a, const Variable& b, const SourceLoc& at); \
    void in_place(Variable& a, const NumberOperand& b);                 \
    Array& operator symbol## = (Array & a, const ArrayOperand& b);      \
    Array& operator symbol## = (Array & a, const NumberOperand& b);     \
    /* Of a Variable without a graph: `z += exp(x)`. */                 \
    template <std::derived_from<Variable> V>                            \
    Array& operator symbol## = (Array & a, const V& b) {                \
        return a symbol## = Array(b);                                   \
    }                                                                   \
    template <std::same_as<Variable> V>                                 \
    V& operator symbol## = (V & a, const Operand& b) {                  \
        in_place(a, b.variable(), b.location());                        \
        return a;                                                       \
    }                                                                   \
    template <std::same_as<Variable> V>                                 \
    V& operator symbol## = (V & a, const NumberOperand& b) {            \
        in_place(a, b);                                                 \
        return a;                                                       \
    }
CATENA_EACH_IN_PLACE_OPERATOR(CATENA_IN_PLACE)
#undef CATENA_IN_PLACE

/// x[slices] of an Array: `at(x, {slice(1, 5), newaxis, ellipsis, -1})`. Slices are views.
Array at(const Array& x, std::initializer_list<Index> slices);
/// A part of a Variable, x[{slices}], as get_item.
Variable at(const Variable& x, std::initializer_list<Index> slices);
/// The absolute value, under the name that Python's abs(x) has.
inline Variable abs(const Operand& x) { return absolute(x); }
/// A slice of all elements of an axis.
inline Slice slice() { return {}; }

// NumPy's names of pow and remainder.

/// x1^x2, elementwise. Integers to the power of integers give floats. Shapes broadcast, and dtypes
/// are promoted.
inline Variable power(const Operand& x, const Operand& y) { return pow(x, y); }
inline Variable power(const Operand& x, const Scalar& y) { return pow(x, y); }
inline Variable power(const Scalar& x, const Operand& y) { return pow(x, y); }
/// The remainder of x by y, as remainder().
inline Variable mod(const Operand& x, const Operand& y) { return remainder(x, y); }
inline Variable mod(const Operand& x, const Scalar& y) { return remainder(x, y); }
inline Variable mod(const Scalar& x, const Operand& y) { return remainder(x, y); }

}  // namespace catena
