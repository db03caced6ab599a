#pragma once

// A tail on sums that are still in registers, for kernels of AVX2. The bits are those with AVX-512.

#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/convolution/tail/tail_numbers.h"

#if defined(__x86_64__)

namespace catena::avx2 {

/// The tail of eight channels, of which the first `count` are there: the others are neither read nor counted.
struct TailRegisters {
    __m256 scale, shift, lowest, highest;
    int64_t count;

    CATENA_AVX2 __attribute__((always_inline)) TailRegisters(const TailNumbers& tail, int64_t channel, int64_t count) : count(count) {
        scale = tail.scale ? load_first(tail.scale + channel, count) : _mm256_set1_ps(1);
        shift = tail.scale ? load_first(tail.shift + channel, count) : _mm256_setzero_ps();
        lowest = _mm256_set1_ps(tail.lowest);
        highest = _mm256_set1_ps(tail.highest);
    }

    /// Scales, and adds `other`, which may be null.
    CATENA_AVX2 __attribute__((always_inline)) __m256 add(__m256 v, const float* other) const {
        return _mm256_add_ps(_mm256_fmadd_ps(v, scale, shift), other ? load_first(other, count) : _mm256_setzero_ps());
    }
    /// These instructions give their second operand if one is NaN: so it stays.
    CATENA_AVX2 __attribute__((always_inline)) __m256 clip(__m256 v) const { return _mm256_min_ps(highest, _mm256_max_ps(lowest, v)); }
    /// The larger magnitudes, as bits.
    CATENA_AVX2 __attribute__((always_inline)) static __m256i larger(__m256i largest, __m256 v) {
        return _mm256_max_epi32(largest, _mm256_and_si256(_mm256_castps_si256(v), _mm256_set1_epi32(0x7FFFFFFF)));
    }
    /// Half of `known`, which may be null.
    CATENA_AVX2 __attribute__((always_inline)) void note(LargestLanes* known, __m256i largest) const {
        if (!known) return;
        __m256i* const half = reinterpret_cast<__m256i*>(known->bits);
        _mm256_store_si256(half, _mm256_max_epi32(_mm256_load_si256(half), _mm256_and_si256(largest, first_lanes(count))));
    }
};

}  // namespace catena::avx2

#endif
