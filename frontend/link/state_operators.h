#pragma once

#include <concepts>

#include "frontend/link/parameter.h"
#include "runtime/ops/math/array_operators.h"

namespace catena {

// `state += x` is `state = state + x`: new content of the same state. DtypeError where x would
// promote it, ShapeError where x would broadcast it.

#define CATENA_IN_STATE(symbol, in_place)                  \
    template <std::derived_from<State> S>                  \
    S& operator symbol(S& state, const Operand& x) {       \
        Variable content = state;                          \
        in_place(content, x.variable(), x.location());     \
        state = content;                                   \
        return state;                                      \
    }                                                      \
    template <std::derived_from<State> S>                  \
    S& operator symbol(S& state, const NumberOperand& x) { \
        Variable content = state;                          \
        in_place(content, x);                              \
        state = content;                                   \
        return state;                                      \
    }
/// Adds to a state, in place: `state += x`. Inside a static region a part of the program.
CATENA_IN_STATE(+=, add_in_place)
/// Subtracts from a state, in place.
CATENA_IN_STATE(-=, subtract_in_place)
/// Multiplies a state, in place.
CATENA_IN_STATE(*=, multiply_in_place)
/// Divides a state, in place.
CATENA_IN_STATE(/=, divide_in_place)
#undef CATENA_IN_STATE

}  // namespace catena
