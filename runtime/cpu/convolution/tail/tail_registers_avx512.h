#pragma once

// A tail on sums that are still in registers, for kernels of AVX-512.

#include "runtime/cpu/avx512.h"
#include "runtime/cpu/convolution/tail/tail_numbers.h"

#if defined(__x86_64__)

namespace catena::avx512 {

/// The epilogue of one vector of channels. Lanes that are not in `there` are neither read nor
/// counted.
struct TailRegisters {
    __m512 scale, shift, lowest, highest;
    __mmask16 there;

    CATENA_AVX512 __attribute__((always_inline)) TailRegisters(const TailNumbers& tail,
                                                               int64_t channel, __mmask16 lanes) {
        there = lanes;
        scale = tail.scale ? _mm512_maskz_loadu_ps(lanes, tail.scale + channel) : _mm512_set1_ps(1);
        shift =
            tail.scale ? _mm512_maskz_loadu_ps(lanes, tail.shift + channel) : _mm512_setzero_ps();
        lowest = _mm512_set1_ps(tail.lowest);
        highest = _mm512_set1_ps(tail.highest);
    }

    /// Scales, and adds those lanes of `other` that are in `added`.
    CATENA_AVX512 __attribute__((always_inline)) __m512 add(__m512 v, const float* other,
                                                            __mmask16 added) const {
        return _mm512_add_ps(_mm512_fmadd_ps(v, scale, shift), _mm512_maskz_loadu_ps(added, other));
    }
    /// Clips to the bounds. NaN stays, because these instructions return their second operand if
    /// one is NaN.
    CATENA_AVX512 __attribute__((always_inline)) __m512 clip(__m512 v) const {
        return _mm512_min_ps(highest, _mm512_max_ps(lowest, v));
    }
    /// The larger magnitude in each lane, as bits.
    CATENA_AVX512 __attribute__((always_inline)) static __m512i larger(__m512i largest, __m512 v) {
        return _mm512_max_epi32(
            largest, _mm512_and_si512(_mm512_castps_si512(v), _mm512_set1_epi32(0x7FFFFFFF)));
    }
    /// Merges the largest magnitudes into `known`, which may be null.
    CATENA_AVX512 __attribute__((always_inline)) void note(LargestLanes* known,
                                                           __m512i largest) const {
        if (!known) return;
        const __m512i before = _mm512_load_si512(known->bits);
        _mm512_store_si512(known->bits, _mm512_mask_max_epi32(before, there, before, largest));
    }
};

}  // namespace catena::avx512

#endif
