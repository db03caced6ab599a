#pragma once

// A tail on sums that are still in registers, for kernels of AVX2. The bits are those with AVX-512.

#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/convolution/tail/tail_numbers.h"

#if defined(__x86_64__)

namespace catena::avx2 {

/// Facts about a register's epilogue that are known at compile time, so that nothing is tested for
/// each position.
struct TailKind {
    bool all;         ///< Whether all eight lanes are channels.
    bool only_clips;  ///< Whether the sums are only clipped to their bounds.
    bool notes;       ///< Whether the largest magnitude may be needed.
};

/// The epilogue of eight channels, of which the first `count` exist: the others are neither read
/// nor counted.
template <TailKind kind>
struct TailRegisters {
    __m256 scale, shift, lowest, highest;
    int64_t count;

    CATENA_AVX2 __attribute__((always_inline)) TailRegisters(const TailNumbers& tail,
                                                             int64_t channel, int64_t count)
        : count(count) {
        if (!kind.only_clips) {
            scale = tail.scale ? load(tail.scale + channel) : _mm256_set1_ps(1);
            shift = tail.scale ? load(tail.shift + channel) : _mm256_setzero_ps();
        }
        lowest = _mm256_set1_ps(tail.lowest);
        highest = _mm256_set1_ps(tail.highest);
    }

    /// The results for a sum. `other`, which is added, may be null.
    CATENA_AVX2 __attribute__((always_inline)) __m256 finish(__m256 sum, const float* other) const {
        if (!kind.only_clips)
            sum = _mm256_add_ps(_mm256_fmadd_ps(sum, scale, shift),
                                other ? load(other) : _mm256_setzero_ps());
        // These instructions give their second operand if one is NaN: so it stays.
        return _mm256_min_ps(highest, _mm256_max_ps(lowest, sum));
    }
    CATENA_AVX2 __attribute__((always_inline)) void store(float* to, __m256 v) const {
        if (kind.all)
            _mm256_storeu_ps(to, v);
        else
            store_first(to, count, v);
    }
    /// The larger magnitude in each lane, as bits.
    CATENA_AVX2 __attribute__((always_inline)) static __m256i larger(__m256i largest, __m256 v) {
        return kind.notes
                   ? _mm256_max_epi32(largest, _mm256_and_si256(_mm256_castps_si256(v),
                                                                _mm256_set1_epi32(0x7FFFFFFF)))
                   : largest;
    }
    /// Merges the largest magnitudes into half of `known`, which may be null.
    CATENA_AVX2 __attribute__((always_inline)) void note(LargestLanes* known,
                                                         __m256i largest) const {
        if (!kind.notes || !known) return;
        __m256i* const half = reinterpret_cast<__m256i*>(known->bits);
        _mm256_store_si256(
            half,
            _mm256_max_epi32(_mm256_load_si256(half),
                             kind.all ? largest : _mm256_and_si256(largest, first_lanes(count))));
    }

private:
    CATENA_AVX2 __attribute__((always_inline)) __m256 load(const float* from) const {
        return kind.all ? _mm256_loadu_ps(from) : load_first(from, count);
    }
};

}  // namespace catena::avx2

#endif
