#pragma once

#include <cstdint>

namespace catena::testing {

/// Numbers between -1.73 and 1.73, of variance 1, for large operands of kernels: drawing normal
/// ones takes longer than most kernels do.
template <class T>
void fill_random(uint64_t seed, T* to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        // The finalizer of SplitMix64: streams of an own state would be shifted copies of one.
        uint64_t bits = (seed << 40) + uint64_t(i) + 1;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
        to[i] = T(int32_t(bits >> 32)) * T(1.7320508075688772 / 0x1p31);
    }
}

}  // namespace catena::testing
