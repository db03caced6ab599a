#pragma once

#include <algorithm>

#include "runtime/cpu/avx512.h"
#include "runtime/cpu/product/small_product_call.h"

#if defined(__x86_64__)

namespace catena::avx512 {

/// Computes `rows` rows of c in `vectors` vectors of sixteen columns, the last of which has `last`
/// lanes.
template <int rows, int vectors>
CATENA_AVX512 inline void multiply_block(const SmallProduct& p, int64_t i, int64_t j,
                                         __mmask16 last) {
    const __mmask16 all = 0xffff;
    __m512 sum[rows][vectors];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            sum[r][v] = p.adds ? _mm512_maskz_loadu_ps(v + 1 < vectors ? all : last,
                                                       p.c + (i + r) * p.ci + j + 16 * v)
                               : _mm512_setzero_ps();
    const float* a = p.a + i * p.ai;
    const float* b = p.b + j;
    for (int64_t q = 0; q < p.k; ++q, a += p.ap, b += p.bp) {
        __m512 row[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            row[v] = _mm512_maskz_loadu_ps(v + 1 < vectors ? all : last, b + 16 * v);
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) {
            const __m512 factor = _mm512_set1_ps(a[r * p.ai]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                sum[r][v] = _mm512_fmadd_ps(factor, row[v], sum[r][v]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            _mm512_mask_storeu_ps(p.c + (i + r) * p.ci + j + 16 * v, v + 1 < vectors ? all : last,
                                  sum[r][v]);
}

template <int vectors>
CATENA_AVX512 void multiply_columns(const SmallProduct& p, int64_t j, __mmask16 last) {
    int64_t i = 0;
    for (; i + 4 <= p.m; i += 4) multiply_block<4, vectors>(p, i, j, last);
    for (; i < p.m; ++i) multiply_block<1, vectors>(p, i, j, last);
}

CATENA_AVX512 inline void multiply(const SmallProduct& p) {
    for (int64_t j = 0; j < p.n; j += 64) {
        const int64_t columns = std::min<int64_t>(64, p.n - j), rest = columns % 16;
        const __mmask16 last = rest ? __mmask16((1u << rest) - 1) : __mmask16(0xffff);
        switch ((columns + 15) / 16) {
            case 1:
                multiply_columns<1>(p, j, last);
                break;
            case 2:
                multiply_columns<2>(p, j, last);
                break;
            case 3:
                multiply_columns<3>(p, j, last);
                break;
            default:
                multiply_columns<4>(p, j, last);
        }
    }
}

}  // namespace catena::avx512

#endif
