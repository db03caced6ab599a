#pragma once

#include <algorithm>
#include <bit>

#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/product/kept/kept_rows_block.h"

// The blocks of kept_rows_avx512.h on AVX2, in parts of up to four rows and three registers of
// columns. The bits are the same.

#if defined(__x86_64__)

namespace catena::kept_rows::avx2 {

using namespace catena::avx2;

constexpr int most_part_rows = 4;

/// A part of a block whose registers' columns may begin at different places.
template <int registers>
struct Part {
    const float* a;
    int64_t lda;
    const float* b[registers];
    int64_t k;
    float beta;
    float* c;
    int64_t ldc, columns;
};

template <int rows, int registers>
using Sums = __m256[rows][registers];

/// Adds the products of one lane.
template <int rows, int registers>
CATENA_AVX2_INLINE void sum_lane(const Part<registers>& t, int at, Sums<rows, registers>& sum) {
    constexpr int64_t step = kept_rows::lanes;
    const int lane = lane_at[size_t(at)];
    const int64_t rest = t.k % step, first = at * rows_of_lane(t.k) * step,
                  end = first + (t.k / step + (lane < rest)) * step;
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
        for (int j = 0; j < registers; ++j) sum[i][j] = _mm256_setzero_ps();
    const float* a = t.a + lane;
#pragma GCC unroll 1
    for (int64_t p = first; p < end; p += step, a += step) {
        __m256 row[registers];
#pragma GCC unroll 3
        for (int j = 0; j < registers; ++j) row[j] = _mm256_load_ps(t.b[j] + p);
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i) {
            const __m256 factor = _mm256_broadcast_ss(a + i * t.lda);
#pragma GCC unroll 3
            for (int j = 0; j < registers; ++j)
                sum[i][j] = _mm256_fmadd_ps(factor, row[j], sum[i][j]);
        }
    }
    if (lane >= rest && rest > 0)  // There the other adds a product of zeros, which makes 0 of -0.
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
            for (int j = 0; j < registers; ++j)
                sum[i][j] = _mm256_add_ps(sum[i][j], _mm256_setzero_ps());
}

template <int rows, int registers>
CATENA_AVX2 void multiply_part(const Part<registers>& t) {
    __m256 waiting[4][rows][registers];  // Sums of 1, 2, 4 and 8 lanes.
    Sums<rows, registers> sum;
    for (int at = 0; at < kept_rows::lanes; ++at) {
        sum_lane<rows, registers>(t, at, sum);
        int level = 0;
        for (; (at >> level) & 1; ++level)
#pragma GCC unroll 4
            for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
                for (int j = 0; j < registers; ++j)
                    sum[i][j] = _mm256_add_ps(waiting[level][i][j], sum[i][j]);
        if (level < 4)
#pragma GCC unroll 4
            for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
                for (int j = 0; j < registers; ++j) waiting[level][i][j] = sum[i][j];
    }
    const __m256 beta = _mm256_set1_ps(t.beta);
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
        for (int j = 0; j < registers; ++j) {
            const int64_t count = lanes_from(t.columns, j * catena::avx2::lanes);
            float* const c = t.c + i * t.ldc + j * catena::avx2::lanes;
            store_first(
                c, count,
                t.beta == 0 ? sum[i][j] : _mm256_fmadd_ps(beta, load_first(c, count), sum[i][j]));
        }
}

template <int registers>
void multiply_part(const Part<registers>& t, int64_t rows) {
    switch (rows) {
        case 1:
            return multiply_part<1, registers>(t);
        case 2:
            return multiply_part<2, registers>(t);
        case 3:
            return multiply_part<3, registers>(t);
        default:
            return multiply_part<most_part_rows, registers>(t);
    }
}

template <int vectors>
void multiply_rows(const Block& t, int64_t rows) {
    constexpr int registers = vectors == 3 ? 3 : 2;
    constexpr int64_t width = registers * catena::avx2::lanes,
                      parts = vectors * kept_rows::lanes / width;
    const int64_t columns = (vectors - 1) * kept_rows::lanes + std::popcount(t.last),
                  row_parts = (rows + most_part_rows - 1) / most_part_rows;
    for (int64_t i = 0; i < row_parts; ++i) {
        const int64_t first = rows * i / row_parts, count = rows * (i + 1) / row_parts - first;
        for (int64_t at = 0; at < parts * width && at < columns; at += width) {
            Part<registers> part{.a = t.a + first * t.lda,
                                 .lda = t.lda,
                                 .b = {},
                                 .k = t.k,
                                 .beta = t.beta,
                                 .c = t.c + first * t.ldc + at,
                                 .ldc = t.ldc,
                                 .columns = columns - at};
            for (int j = 0; j < registers; ++j) {
                const int64_t column = at + j * catena::avx2::lanes;
                part.b[j] = t.b + column / kept_rows::lanes * t.vector + column % kept_rows::lanes;
            }
            multiply_part(part, count);
        }
    }
}

}  // namespace catena::kept_rows::avx2

#endif
