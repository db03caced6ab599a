#pragma once

#include <algorithm>

#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/product/small_product_call.h"

#if defined(__x86_64__)

namespace catena::avx2 {

/// Computes `rows` rows of c in `registers` registers of eight columns, the last of which has
/// `last`. The bits are those with AVX-512.
template <int rows, int registers>
CATENA_AVX2_INLINE void multiply_block(const SmallProduct& p, int64_t i, int64_t j, int64_t last) {
    const __m256i there = first_lanes(last);
    const bool is_whole = last == lanes;
    __m256 sum[rows][registers];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < registers; ++v)
            sum[r][v] = p.adds ? load_first(p.c + (i + r) * p.ci + j + lanes * v,
                                            v + 1 < registers ? lanes : last)
                               : _mm256_setzero_ps();
    const float* a = p.a + i * p.ai;
    const float* b = p.b + j;
    for (int64_t q = 0; q < p.k; ++q, a += p.ap, b += p.bp) {
        __m256 row[registers];
#pragma GCC unroll 4
        for (int v = 0; v < registers; ++v)
            row[v] = v + 1 < registers || is_whole ? _mm256_loadu_ps(b + lanes * v)
                                                   : _mm256_maskload_ps(b + lanes * v, there);
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) {
            const __m256 factor = _mm256_broadcast_ss(a + r * p.ai);
#pragma GCC unroll 4
            for (int v = 0; v < registers; ++v)
                sum[r][v] = _mm256_fmadd_ps(factor, row[v], sum[r][v]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < registers; ++v)
            store_first(p.c + (i + r) * p.ci + j + lanes * v, v + 1 < registers ? lanes : last,
                        sum[r][v]);
}

template <int registers>
CATENA_AVX2 void multiply_columns(const SmallProduct& p, int64_t j, int64_t last) {
    int64_t i = 0;
    for (; i + 4 <= p.m; i += 4) multiply_block<4, registers>(p, i, j, last);
    for (; i < p.m; ++i) multiply_block<1, registers>(p, i, j, last);
}

CATENA_AVX2 inline void multiply(const SmallProduct& p) {
    constexpr int64_t most = 3 * lanes;
    for (int64_t j = 0; j < p.n; j += most) {
        const int64_t columns = std::min(most, p.n - j),
                      last = columns % lanes ? columns % lanes : lanes;
        switch ((columns + lanes - 1) / lanes) {
            case 1:
                multiply_columns<1>(p, j, last);
                break;
            case 2:
                multiply_columns<2>(p, j, last);
                break;
            default:
                multiply_columns<3>(p, j, last);
        }
    }
}

}  // namespace catena::avx2

#endif
