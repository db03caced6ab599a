#pragma once

// Parts of vectors, and transposition, for kernels of AVX2.

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>

namespace catena::avx2 {

#define CATENA_AVX2 __attribute__((target("avx2,fma")))
#define CATENA_AVX2_INLINE CATENA_AVX2 inline __attribute__((always_inline))

/// The number of floats in a register.
constexpr int64_t lanes = 8;

namespace detail {
alignas(64) inline constexpr int32_t ones_and_zeros[16] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                           0,  0,  0,  0,  0,  0,  0,  0};
}

/// A mask of the first `count` lanes, 0 to 8.
CATENA_AVX2_INLINE __m256i first_lanes(int64_t count) {
    return _mm256_loadu_si256(
        reinterpret_cast<const __m256i*>(detail::ones_and_zeros + lanes - count));
}
/// The number of lanes in use in the register that begins with lane `first`, when `count` lanes are
/// in use over all registers.
constexpr int64_t lanes_from(int64_t count, int64_t first) {
    return count <= first ? 0 : count - first < lanes ? count - first : lanes;
}

/// Loads the first `count` floats, and zeros in the other lanes.
CATENA_AVX2_INLINE __m256 load_first(const float* from, int64_t count) {
    return count == lanes ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, first_lanes(count));
}
/// Stores the first `count` floats. (Masked stores take AMD's processors dozens of instructions.)
CATENA_AVX2_INLINE void store_first(float* to, int64_t count, __m256 v) {
    if (count == lanes) return _mm256_storeu_ps(to, v);
    __m128 rest = _mm256_castps256_ps128(v);
    if (count & 4) {
        _mm_storeu_ps(to, rest);
        rest = _mm256_extractf128_ps(v, 1);
        to += 4;
    }
    if (count & 2) {
        _mm_storel_pi(reinterpret_cast<__m64*>(to), rest);
        rest = _mm_movehl_ps(rest, rest);
        to += 2;
    }
    if (count & 1) _mm_store_ss(to, rest);
}

/// Transposes eight registers: x[i][j] becomes the old x[j][i].
CATENA_AVX2_INLINE void transpose(__m256 (&x)[8]) {
    __m256 y[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {  // Four rows of four columns in each half of a register.
        x[i] = _mm256_shuffle_ps(y[i], y[i + 2], 0x44);
        x[i + 1] = _mm256_shuffle_ps(y[i], y[i + 2], 0xee);
        x[i + 2] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0x44);
        x[i + 3] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        y[i] = _mm256_permute2f128_ps(x[i], x[i + 4], 0x20);
        y[i + 4] = _mm256_permute2f128_ps(x[i], x[i + 4], 0x31);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) x[i] = y[i];
}

/// Transposes lanes, as runtime/cpu/transpose_lanes.h says; only the first `columns` columns exist.
CATENA_AVX2 inline void transpose_lanes(const float* from, int64_t from_row, int64_t rows,
                                        int64_t columns, float* to, int64_t to_row) {
    for (int64_t r = 0; r < 2 * lanes; r += lanes)
        for (int64_t c = 0; c < columns; c += lanes) {
            const int64_t count = lanes_from(columns, c);
            __m256 x[lanes];
#pragma GCC unroll 8
            for (int64_t i = 0; i < lanes; ++i)
                x[i] = r + i < rows ? load_first(from + (r + i) * from_row + c, count)
                                    : _mm256_setzero_ps();
            transpose(x);
#pragma GCC unroll 8
            for (int64_t i = 0; i < lanes; ++i)
                if (i < count) _mm256_store_ps(to + (c + i) * to_row + r, x[i]);
        }
}

}  // namespace catena::avx2

#endif
