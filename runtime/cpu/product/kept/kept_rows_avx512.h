#pragma once

#include "runtime/core/system/error.h"
#include "runtime/cpu/avx512.h"
#include "runtime/cpu/product/kept/kept_rows_block.h"

#if defined(__x86_64__)

namespace catena::kept_rows::avx512 {

template <int rows, int vectors>
using Sums = __m512[rows][vectors];

/// Adds the products of one lane.
template <int rows, int vectors>
CATENA_AVX512 inline __attribute__((always_inline)) void sum_lane(const Block& t, int at,
                                                                  Sums<rows, vectors>& sum) {
    const int lane = lane_at[size_t(at)];
    const int64_t rest = t.k % lanes;
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
        for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_setzero_ps();
    const float *upper = t.a + lane, *lower = upper + (rows > 4 ? 4 * t.lda : 0),
                *b = t.b + at * rows_of_lane(t.k) * lanes;
    const float* const end = b + (t.k / lanes + (lane < rest)) * lanes;
#pragma GCC unroll 1
    for (; b < end; b += lanes, upper += lanes, lower += lanes) {
        __m512 row[vectors];
#pragma GCC unroll 3
        for (int j = 0; j < vectors; ++j) row[j] = _mm512_load_ps(b + j * t.vector);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            const __m512 a = _mm512_set1_ps(i < 4 ? upper[i * t.lda] : lower[(i - 4) * t.lda]);
#pragma GCC unroll 3
            for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_fmadd_ps(a, row[j], sum[i][j]);
        }
    }
    if (lane >= rest && rest > 0)  // There the other adds a product of zeros, which makes 0 of -0.
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
            for (int j = 0; j < vectors; ++j)
                sum[i][j] = _mm512_add_ps(sum[i][j], _mm512_setzero_ps());
}

template <int rows, int vectors>
CATENA_AVX512 void multiply_block(const Block& t) {
    __m512 waiting[4][rows][vectors];  // Sums of 1, 2, 4 and 8 lanes.
    Sums<rows, vectors> sum;
    for (int at = 0; at < lanes; ++at) {
        sum_lane<rows, vectors>(t, at, sum);
        int level = 0;
        for (; (at >> level) & 1; ++level)
#pragma GCC unroll 8
            for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
                for (int j = 0; j < vectors; ++j)
                    sum[i][j] = _mm512_add_ps(waiting[level][i][j], sum[i][j]);
        if (level < 4)
#pragma GCC unroll 8
            for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
                for (int j = 0; j < vectors; ++j) waiting[level][i][j] = sum[i][j];
    }
    const __m512 beta = _mm512_set1_ps(t.beta);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
        for (int j = 0; j < vectors; ++j) {
            const __mmask16 there = j + 1 < vectors ? __mmask16(0xffff) : __mmask16(t.last);
            float* const c = t.c + i * t.ldc + j * lanes;
            const __m512 value =
                t.beta == 0 ? sum[i][j]
                            : _mm512_fmadd_ps(beta, _mm512_maskz_loadu_ps(there, c), sum[i][j]);
            _mm512_mask_storeu_ps(c, there, value);
        }
}

template <int vectors>
void multiply_rows(const Block& t, int64_t rows) {
    switch (rows) {
        case 1:
            return multiply_block<1, vectors>(t);
        case 2:
            return multiply_block<2, vectors>(t);
        case 3:
            return multiply_block<3, vectors>(t);
        case 4:
            return multiply_block<4, vectors>(t);
        case 5:
            return multiply_block<5, vectors>(t);
        case 6:
            return multiply_block<6, vectors>(t);
        case 7:
            return multiply_block<7, vectors>(t);
        case 8:
            return multiply_block<8, vectors>(t);
    }
    CATENA_ASSERT(false, "a block has up to eight rows");
}

}  // namespace catena::kept_rows::avx512

#endif
