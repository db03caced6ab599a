#pragma once

#include <concepts>

#include "runtime/graph/arithmetic.h"
#include "runtime/ops/array/indexing.h"
#include "runtime/ops/math/bits.h"
#include "runtime/ops/math/division.h"

namespace catena {

// Operators between Arrays, and Arrays and numbers, give Arrays: no graph, the rules of arithmetic.h for shapes and dtypes. With
// a Variable on either side the result is a Variable. `a == b` of two Arrays asks whether they are the same array, as it does
// without this header; equal(a, b) compares elements (logic.h).

/// The right operand with the line where it is used. Made by implicit conversion; never stored.
class ArrayOperand {
public:
    ArrayOperand(const Array& array, const std::source_location& at = std::source_location::current())
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

#define CATENA_WITH_NUMBERS(symbol)                                              \
    inline Array operator symbol(const Array& a, const NumberOperand& b) {       \
        return (Operand(a, b.location()) symbol b.number()).array();             \
    }                                                                            \
    inline Array operator symbol(const NumberOperand& a, const Array& b) {       \
        return (a.number() symbol Operand(b, a.location())).array();             \
    }
#define CATENA_WITH_ARRAYS(symbol)                                               \
    inline Array operator symbol(const Array& a, const ArrayOperand& b) {        \
        return (Operand(a, b.location()) symbol b.operand()).array();            \
    }                                                                            \
    CATENA_WITH_NUMBERS(symbol)
CATENA_WITH_ARRAYS(+)
CATENA_WITH_ARRAYS(-)
CATENA_WITH_ARRAYS(*)
CATENA_WITH_ARRAYS(/)
CATENA_WITH_ARRAYS(%)
CATENA_WITH_ARRAYS(&)
CATENA_WITH_ARRAYS(|)
CATENA_WITH_ARRAYS(^)
CATENA_WITH_ARRAYS(<<)
CATENA_WITH_ARRAYS(>>)
CATENA_WITH_ARRAYS(<)
CATENA_WITH_ARRAYS(<=)
CATENA_WITH_ARRAYS(>)
CATENA_WITH_ARRAYS(>=)
CATENA_WITH_NUMBERS(==)
CATENA_WITH_NUMBERS(!=)
#undef CATENA_WITH_ARRAYS
#undef CATENA_WITH_NUMBERS

inline Array operator&&(const Array& a, const ArrayOperand& b) { return (Operand(a, b.location()) && b.operand()).array(); }
inline Array operator||(const Array& a, const ArrayOperand& b) { return (Operand(a, b.location()) || b.operand()).array(); }
inline Array operator-(const Array& x) { return (-Operand(x, std::source_location())).array(); }
inline Array operator!(const Array& x) { return (!Operand(x, std::source_location())).array(); }
inline Array operator~(const Array& x) { return bitwise_not(Operand(x, std::source_location())).array(); }

// `a += b` is `a = a + b`: a becomes another array (or Variable, whose graph goes on), and other handles of the old one keep
// it. The result must be of a's type: a DtypeError where b would promote it (integers += 0.5), a ShapeError where b would
// broadcast it. Parameters and other States are changed by assign() alone.

/// `result` of a type that a may get in place; `symbol` is the operator.
void check_in_place(const Type& a, const Type& result, const char* symbol, const std::source_location& at);

#define CATENA_IN_PLACE(symbol)                                                                      \
    inline Array& operator symbol##=(Array & a, const ArrayOperand& b) {                             \
        const Array result = (Operand(a, b.location()) symbol b.operand()).array();                  \
        check_in_place(a.type(), result.type(), #symbol "=", b.location());                          \
        return a = result;                                                                           \
    }                                                                                                \
    inline Array& operator symbol##=(Array & a, const NumberOperand& b) {                            \
        const Array result = (Operand(a, b.location()) symbol b.number()).array();                   \
        check_in_place(a.type(), result.type(), #symbol "=", b.location());                          \
        return a = result;                                                                           \
    }                                                                                                \
    template <std::same_as<Variable> V>                                                              \
    V& operator symbol##=(V & a, const std::type_identity_t<Operand>& b) {                           \
        const Variable result = a symbol b;                                                          \
        check_in_place(a.type(), result.type(), #symbol "=", std::source_location());                \
        return a = result;                                                                           \
    }                                                                                                \
    template <std::same_as<Variable> V>                                                              \
    V& operator symbol##=(V & a, const NumberOperand& b) {                                           \
        const Variable result = Operand(a, b.location()) symbol b.number();                          \
        check_in_place(a.type(), result.type(), #symbol "=", b.location());                          \
        return a = result;                                                                           \
    }
CATENA_IN_PLACE(+)
CATENA_IN_PLACE(-)
CATENA_IN_PLACE(*)
CATENA_IN_PLACE(/)
CATENA_IN_PLACE(%)
CATENA_IN_PLACE(&)
CATENA_IN_PLACE(|)
CATENA_IN_PLACE(^)
CATENA_IN_PLACE(<<)
CATENA_IN_PLACE(>>)
#undef CATENA_IN_PLACE

/// x[slices] of an Array: `at(x, {slice(1, 5), newaxis, ellipsis, -1})`. Slices are views.
inline Array at(const Array& x, std::initializer_list<Index> slices) { return get_item(x, slices).array(); }
inline Slice slice() { return {}; }  ///< All of an axis.

}  // namespace catena
