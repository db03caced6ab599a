#pragma once

#include <cstdint>

namespace catena {

/// The operands of c (+)= a b; a(i, p) is a[i ai + p ap], and b's columns are contiguous, as c's
/// are.
struct SmallProduct {
    int64_t m, n, k;
    const float* a;
    int64_t ai, ap;
    const float* b;
    int64_t bp;
    bool adds;
    float* c;
    int64_t ci;
};

}  // namespace catena
