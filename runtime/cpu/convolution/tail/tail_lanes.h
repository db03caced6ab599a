#pragma once

// The arithmetic of a tail on vectors.

#include <bit>
#include <cstdint>

#include "runtime/core/simd/vector_code.h"
#include "runtime/cpu/convolution/tail/convolution_tail.h"

namespace catena {

/// A mask that removes a float's sign bit. The remaining bits, as an integer, grow with the
/// magnitude; those of infinity and NaN are the largest.
constexpr int32_t magnitude_bits = 0x7FFFFFFF;

template <int bytes>
struct TailLanes {
    using V = Vector<float, bytes>;
    using Lanes = typename V::Type;
    using Bits = typename Vector<int32_t, bytes>::Type;

    Lanes lowest, highest;
    Bits largest{};  ///< The largest magnitude so far in each lane, as bits.

    CATENA_INLINE explicit TailLanes(const ConvolutionTail& tail)
        : lowest(Lanes{} + tail.lowest), highest(Lanes{} + tail.highest) {}

    // Comparisons with NaN are false, so it stays.
    CATENA_INLINE Lanes clipped(Lanes v) const {
        v = v <= lowest ? lowest : v;
        return v >= highest ? highest : v;
    }
    CATENA_INLINE void note(Lanes v) {
        const Bits bits = std::bit_cast<Bits>(v) & magnitude_bits;
        largest = bits > largest ? bits : largest;
    }
    CATENA_INLINE int32_t largest_bits() const {
        int32_t most = 0;
        for (int i = 0; i < int(V::lanes); ++i) most = largest[i] > most ? largest[i] : most;
        return most;
    }
};

}  // namespace catena
