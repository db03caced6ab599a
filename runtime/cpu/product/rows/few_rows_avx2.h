#pragma once

#include "runtime/cpu/avx2/registers.h"

// The blocks of few_rows_avx512.h on AVX2: two registers have sixteen sums, which are added in the
// same order. The bits are the same.

#if defined(__x86_64__)

namespace catena::avx2 {

/// Sixteen partial sums in two registers.
struct Sums {
    __m256 low, high;
};

/// The total of the sixteen sums.
CATENA_AVX2_INLINE __m128 sum_lanes(const Sums& s) {
    const __m256 low = _mm256_add_ps(s.low, _mm256_permute_ps(s.low, 0x4e)),
                 high = _mm256_add_ps(s.high, _mm256_permute_ps(s.high, 0x4e));
    const __m256 both = _mm256_add_ps(_mm256_add_ps(low, _mm256_permute_ps(low, 0xb1)),
                                      _mm256_add_ps(high, _mm256_permute_ps(high, 0xb1)));
    return _mm_add_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps(both, 1));
}

/// Multiplies `rows` rows of a with `columns` rows of b; together up to six.
template <int rows, int columns>
CATENA_AVX2 void multiply_block(const float* a, int64_t lda, const float* b, int64_t ldb, int64_t k,
                                float beta, float* c, int64_t ldc) {
    constexpr int64_t both = 2 * lanes;
    Sums sum[rows][columns];
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < columns; ++j) sum[i][j] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    int64_t p = 0;
    for (; p + both <= k; p += both)
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            __m256 x[rows];
#pragma GCC unroll 4
            for (int i = 0; i < rows; ++i) x[i] = _mm256_loadu_ps(a + i * lda + p + half * lanes);
#pragma GCC unroll 4
            for (int j = 0; j < columns; ++j) {
                const __m256 y = _mm256_loadu_ps(b + j * ldb + p + half * lanes);
#pragma GCC unroll 4
                for (int i = 0; i < rows; ++i) {
                    __m256& to = half ? sum[i][j].high : sum[i][j].low;
                    to = _mm256_fmadd_ps(x[i], y, to);
                }
            }
        }
    if (p < k)
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            const __m256i there = first_lanes(lanes_from(k - p, half * lanes));
#pragma GCC unroll 4
            for (int i = 0; i < rows; ++i) {
                const __m256 x = _mm256_maskload_ps(a + i * lda + p + half * lanes, there);
#pragma GCC unroll 4
                for (int j = 0; j < columns; ++j) {
                    __m256& to = half ? sum[i][j].high : sum[i][j].low;
                    to = _mm256_fmadd_ps(
                        x, _mm256_maskload_ps(b + j * ldb + p + half * lanes, there), to);
                }
            }
        }
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < columns; ++j) {
            float* const to = c + i * ldc + j;
            __m128 result = sum_lanes(sum[i][j]);
            if (beta != 0) result = _mm_fmadd_ss(_mm_set_ss(beta), _mm_load_ss(to), result);
            _mm_store_ss(to, result);
        }
}

template <int columns>
void multiply_block(int64_t rows, const float* a, int64_t lda, const float* b, int64_t ldb,
                    int64_t k, float beta, float* c, int64_t ldc) {
    if (rows == 3)
        multiply_block<3, columns>(a, lda, b, ldb, k, beta, c, ldc);
    else if (rows == 2)
        multiply_block<2, columns>(a, lda, b, ldb, k, beta, c, ldc);
    else
        multiply_block<1, columns>(a, lda, b, ldb, k, beta, c, ldc);
}

/// Multiplies `rows` rows of a with 1 to 4 rows of b.
inline void multiply_rows(int64_t rows, const float* a, int64_t lda, const float* b, int64_t ldb,
                          int64_t k, int64_t columns, float beta, float* c, int64_t ldc) {
    constexpr int64_t most = 3;
    const int64_t parts = (rows + most - 1) / most;
    for (int64_t part = 0; part < parts; ++part) {
        const int64_t i = rows * part / parts, count = rows * (part + 1) / parts - i;
        for (int64_t j = 0; j < columns; j += 2) {
            const float* const from = b + j * ldb;
            float* const to = c + i * ldc + j;
            if (j + 1 < columns)
                multiply_block<2>(count, a + i * lda, lda, from, ldb, k, beta, to, ldc);
            else
                multiply_block<1>(count, a + i * lda, lda, from, ldb, k, beta, to, ldc);
        }
    }
}

/// Multiplies one row of a with eight rows of b.
inline void multiply_row(const float* a, const float* b, int64_t ldb, int64_t k, float beta,
                         float* c) {
    for (int64_t j = 0; j < 8; j += 4)
        multiply_block<1, 4>(a, 0, b + j * ldb, ldb, k, beta, c + j, 0);
}

}  // namespace catena::avx2

#endif
