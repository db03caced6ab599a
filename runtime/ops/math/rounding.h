#pragma once

#include "runtime/graph/op/variable_math.h"

namespace catena {

/// x rounded to integers, ties to even.
inline Variable nearest_even(const Variable& x) {
    const Variable below = floor(x), rest = x - below, half = below * 0.5;
    const Variable is_even = floor(half) == half;
    return where(rest > 0.5 || (rest == 0.5 && !is_even), below + 1, below);
}

}  // namespace catena
