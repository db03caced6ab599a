#include "runtime/ops/math/array_operators.h"

#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// `result` must be of a type that a may get in place; `symbol` is the operator.
void check_in_place(const Type& a, const Type& result, const char* symbol) {
    if (a == result) return;
    if (a.dtype != result.dtype)
        fail<DtypeError>(
            "{}: the result is {}, the left side {}; cast the left side first, or assign the "
            "result to another array",
            symbol, to_string(result), to_string(a));
    fail<ShapeError>("{}: the result is {}, the left side {}; broadcast the left side first",
                     symbol, to_string(result), to_string(a));
}

/// a = result, for Arrays and Variables.
template <class A>
void rebind(A& a, const A& result, const char* symbol) {
    check_in_place(a.type(), result.type(), symbol);
    a = result;
}

}  // namespace

#define CATENA_WITH_NUMBERS(symbol, name)                            \
    Array name(const Array& a, const NumberOperand& b) {             \
        return (Operand(a, b.location()) symbol b.number()).array(); \
    }                                                                \
    Array name(const NumberOperand& a, const Array& b) {             \
        return (a.number() symbol Operand(b, a.location())).array(); \
    }
#define CATENA_WITH_ARRAYS(symbol, name)                              \
    Array name(const Array& a, const ArrayOperand& b) {               \
        return (Operand(a, b.location()) symbol b.operand()).array(); \
    }                                                                 \
    CATENA_WITH_NUMBERS(symbol, name)
CATENA_EACH_ARRAY_OPERATOR(CATENA_WITH_ARRAYS)
CATENA_EACH_NUMBER_OPERATOR(CATENA_WITH_NUMBERS)
#undef CATENA_WITH_ARRAYS
#undef CATENA_WITH_NUMBERS

template <std::same_as<Array> A>
Array operator&&(const A& a, const ArrayOperand& b) {
    return (Operand(a, b.location()) && b.operand()).array();
}
template <std::same_as<Array> A>
Array operator||(const A& a, const ArrayOperand& b) {
    return (Operand(a, b.location()) || b.operand()).array();
}
template <std::same_as<Array> A>
Array operator-(const A& x) {
    return (-Operand(x, std::source_location())).array();
}
template <std::same_as<Array> A>
Array operator!(const A& x) {
    return (!Operand(x, std::source_location())).array();
}
template <std::same_as<Array> A>
Array operator~(const A& x) {
    return bitwise_not(Operand(x, std::source_location())).array();
}
template Array operator&&(const Array& a, const ArrayOperand& b);
template Array operator||(const Array& a, const ArrayOperand& b);
template Array operator-(const Array& x);
template Array operator!(const Array& x);
template Array operator~(const Array& x);

#define CATENA_IN_PLACE(symbol, in_place)                                \
    void in_place(Variable& a, const Variable& b, const SourceLoc& at) { \
        const LocationScope scope(at);                                   \
        rebind(a, Variable(a symbol b), #symbol "=");                    \
    }                                                                    \
    void in_place(Variable& a, const NumberOperand& b) {                 \
        const LocationScope scope(b.location());                         \
        rebind(a, Variable(a symbol b.number()), #symbol "=");           \
    }                                                                    \
    Array& operator symbol## = (Array & a, const ArrayOperand& b) {      \
        const LocationScope scope(b.location());                         \
        rebind(a, (Operand(a) symbol b.operand()).array(), #symbol "="); \
        return a;                                                        \
    }                                                                    \
    Array& operator symbol## = (Array & a, const NumberOperand& b) {     \
        const LocationScope scope(b.location());                         \
        rebind(a, (Operand(a) symbol b.number()).array(), #symbol "=");  \
        return a;                                                        \
    }
CATENA_EACH_IN_PLACE_OPERATOR(CATENA_IN_PLACE)
#undef CATENA_IN_PLACE

Array at(const Array& x, std::initializer_list<Index> slices) {
    return get_item(x, slices).array();
}
Variable at(const Variable& x, std::initializer_list<Index> slices) { return get_item(x, slices); }

}  // namespace catena
