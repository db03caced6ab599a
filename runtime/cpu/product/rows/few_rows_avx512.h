#pragma once

#include <cstdint>

#include "runtime/cpu/avx512.h"

// Blocks of products of few rows (gemm_rows.h): c = a b^T + beta c, each element a sum of sixteen
// sums, of every sixteenth product.

#if defined(__x86_64__)

namespace catena::avx512 {

constexpr int64_t row_block = 8;

/// The totals of the lanes of four vectors, as four neighbouring numbers.
CATENA_AVX512 inline __m128 sum_lanes(__m512 v0, __m512 v1, __m512 v2, __m512 v3) {
    __m512 s01 = _mm512_add_ps(_mm512_unpacklo_ps(v0, v1), _mm512_unpackhi_ps(v0, v1));
    __m512 s23 = _mm512_add_ps(_mm512_unpacklo_ps(v2, v3), _mm512_unpackhi_ps(v2, v3));
    __m512d p01 = _mm512_castps_pd(s01), p23 = _mm512_castps_pd(s23);
    __m512 q = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(p01, p23)),
                             _mm512_castpd_ps(_mm512_unpackhi_pd(p01, p23)));
    __m256 half = _mm256_add_ps(_mm512_castps512_ps256(q), _mm512_extractf32x8_ps(q, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
}

/// Computes one block of c: `rows` of a times `columns` (1 to 4) rows of b. Rows of b that do not
/// exist are read as the first one, and their results not written. There are more rows than columns
/// because both are read at any alignment, which takes the time of two loads for each.
template <int rows>
CATENA_AVX512 void multiply_block(const float* a, int64_t lda, const float* b, int64_t ldb,
                                  int64_t k, int64_t columns, float beta, float* c, int64_t ldc) {
    const float* pb[4];
    for (int64_t j = 0; j < 4; ++j) pb[j] = b + (j < columns ? j * ldb : 0);
    __m512 sum[rows][4];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) sum[i][j] = _mm512_setzero_ps();
    const int64_t whole = k / 16 * 16;
    const __mmask16 rest = __mmask16((1u << (k - whole)) - 1);
    for (int64_t p = 0; p < whole; p += 16) {
        __m512 vb[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) vb[j] = _mm512_loadu_ps(pb[j] + p);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            const __m512 va = _mm512_loadu_ps(a + i * lda + p);
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j) sum[i][j] = _mm512_fmadd_ps(va, vb[j], sum[i][j]);
        }
    }
    if (rest) {
        __m512 vb[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) vb[j] = _mm512_maskz_loadu_ps(rest, pb[j] + whole);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            const __m512 va = _mm512_maskz_loadu_ps(rest, a + i * lda + whole);
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j) sum[i][j] = _mm512_fmadd_ps(va, vb[j], sum[i][j]);
        }
    }
    const __mmask8 there = __mmask8((1u << columns) - 1);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
        __m128 result = sum_lanes(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        if (beta != 0)
            result =
                _mm_fmadd_ps(_mm_set1_ps(beta), _mm_maskz_loadu_ps(there, c + i * ldc), result);
        _mm_mask_storeu_ps(c + i * ldc, there, result);
    }
}

/// The most rows of a block: their sums, the rows of b and one of a fill the 32 registers.
constexpr int64_t most_block_rows = 6;

CATENA_AVX512 inline void multiply_rows(int64_t rows, const float* a, int64_t lda, const float* b,
                                        int64_t ldb, int64_t k, int64_t columns, float beta,
                                        float* c, int64_t ldc) {
    switch (rows) {
        case 1:
            return multiply_block<1>(a, lda, b, ldb, k, columns, beta, c, ldc);
        case 2:
            return multiply_block<2>(a, lda, b, ldb, k, columns, beta, c, ldc);
        case 3:
            return multiply_block<3>(a, lda, b, ldb, k, columns, beta, c, ldc);
        case 4:
            return multiply_block<4>(a, lda, b, ldb, k, columns, beta, c, ldc);
        case 5:
            return multiply_block<5>(a, lda, b, ldb, k, columns, beta, c, ldc);
        default:
            return multiply_block<most_block_rows>(a, lda, b, ldb, k, columns, beta, c, ldc);
    }
}

/// Multiplies one row of a with row_block rows of b: reading b takes most of the time, and the
/// memory is faster for many rows at once.
CATENA_AVX512 inline void multiply_row(const float* a, const float* b, int64_t ldb, int64_t k,
                                       float beta, float* c) {
    __m512 sum[row_block];
#pragma GCC unroll 8
    for (int j = 0; j < row_block; ++j) sum[j] = _mm512_setzero_ps();
    int64_t p = 0;
    for (; p + 16 <= k; p += 16) {
        const __m512 va = _mm512_loadu_ps(a + p);
#pragma GCC unroll 8
        for (int j = 0; j < row_block; ++j)
            sum[j] = _mm512_fmadd_ps(va, _mm512_loadu_ps(b + j * ldb + p), sum[j]);
    }
    if (p < k) {
        const __mmask16 rest = __mmask16((1u << (k - p)) - 1);
        const __m512 va = _mm512_maskz_loadu_ps(rest, a + p);
#pragma GCC unroll 8
        for (int j = 0; j < row_block; ++j)
            sum[j] = _mm512_fmadd_ps(va, _mm512_maskz_loadu_ps(rest, b + j * ldb + p), sum[j]);
    }
#pragma GCC unroll 2
    for (int j = 0; j < row_block; j += 4) {
        __m128 result = sum_lanes(sum[j], sum[j + 1], sum[j + 2], sum[j + 3]);
        if (beta != 0) result = _mm_fmadd_ps(_mm_set1_ps(beta), _mm_loadu_ps(c + j), result);
        _mm_storeu_ps(c + j, result);
    }
}

}  // namespace catena::avx512

#endif
