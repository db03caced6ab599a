#pragma once

#include "runtime/core/system/error.h"
#include "runtime/cpu/avx512.h"
#include "runtime/cpu/product/tiles/tile.h"

#if defined(__x86_64__)

namespace catena {
namespace avx512 {
namespace tile_detail {

/// Distances of prefetching, in rows of b and columns of a.
constexpr int64_t rows_ahead = 8, columns_ahead = 16;

template <int vectors, bool fills>
CATENA_AVX512 inline __attribute__((always_inline)) void load_row(const Tile& t, const float*& from,
                                                                  float* panel,
                                                                  __m512 (&b)[vectors]) {
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) {
        if constexpr (!fills) {
            b[j] = _mm512_load_ps(panel + j * t.panel.vector_step);
        } else {
            const float* const at = from + j * tile_lanes;
            _mm_prefetch(reinterpret_cast<const char*>(at + rows_ahead * t.from_row), _MM_HINT_T0);
            b[j] = j + 1 < vectors ? _mm512_loadu_ps(at) : _mm512_maskz_loadu_ps(t.last, at);
            _mm512_store_ps(panel + j * tile_lanes, b[j]);
        }
    }
    if constexpr (fills) from += t.from_row;
}

template <int rows>
CATENA_AVX512 inline __attribute__((always_inline)) void pack_column(const float* column,
                                                                     int64_t a_step, float* to) {
    _mm_prefetch(reinterpret_cast<const char*>(column + columns_ahead * a_step), _MM_HINT_T0);
    _mm256_store_ps(to, _mm256_maskz_loadu_ps(__mmask8((1u << rows) - 1), column));
}

}  // namespace tile_detail

template <int rows, int vectors, bool fills, bool packs>
CATENA_AVX512 void compute_tile(const Tile& t) {
    __m512 sum[rows][vectors];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
        for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_setzero_ps();
    // What is written is not in the cache: otherwise each store would wait for its line.
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
        for (int j = 0; j < vectors; ++j) __builtin_prefetch(t.c + i * t.c_row + j * tile_lanes, 1);
    // Two pointers, so that the distances between four rows are parts of addresses.
    const float *upper = t.a, *lower = t.a + (rows > 4 ? 4 * t.a_row : 0), *from = t.from;
    float *panel = t.panel.columns, *packed = t.packed;
#pragma GCC unroll 1
    for (int64_t p = 0; p < t.k; ++p, panel += fills ? vectors * tile_lanes : t.panel.row_step,
                 upper += t.a_step, lower += t.a_step) {
        if (p < t.lines_ahead)
            _mm_prefetch(reinterpret_cast<const char*>(t.ahead->next()), _MM_HINT_T1);
        if constexpr (packs)
            tile_detail::pack_column<rows>(upper, t.a_step, packed), packed += most_tile_rows;
        __m512 b[vectors];
        tile_detail::load_row<vectors, fills>(t, from, panel, b);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            const __m512 a = _mm512_set1_ps(i < 4 ? upper[i * t.a_row] : lower[(i - 4) * t.a_row]);
#pragma GCC unroll 3
            for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_fmadd_ps(a, b[j], sum[i][j]);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
        for (int j = 0; j < vectors; ++j) {
            const __mmask16 there = j + 1 < vectors ? __mmask16(0xffff) : __mmask16(t.last);
            __m512 value = sum[i][j];
            if (t.plus)
                value = _mm512_add_ps(
                    value, _mm512_maskz_loadu_ps(there, t.plus + i * t.plus_row + j * tile_lanes));
            _mm512_mask_storeu_ps(t.c + i * t.c_row + j * tile_lanes, there, value);
        }
}

template <int rows, int vectors>
void compute_tile(const Tile& t) {
    if (t.from)
        return t.packed ? compute_tile<rows, vectors, true, true>(t)
                        : compute_tile<rows, vectors, true, false>(t);
    t.packed ? compute_tile<rows, vectors, false, true>(t)
             : compute_tile<rows, vectors, false, false>(t);
}

/// Computes a tile of 1 to 8 rows.
template <int vectors>
void compute_rows(const Tile& t, int64_t rows) {
    switch (rows) {
        case 1:
            return compute_tile<1, vectors>(t);
        case 2:
            return compute_tile<2, vectors>(t);
        case 3:
            return compute_tile<3, vectors>(t);
        case 4:
            return compute_tile<4, vectors>(t);
        case 5:
            return compute_tile<5, vectors>(t);
        case 6:
            return compute_tile<6, vectors>(t);
        case 7:
            return compute_tile<7, vectors>(t);
        case 8:
            return compute_tile<8, vectors>(t);
    }
    CATENA_ASSERT(false, "a tile has up to eight rows");
}

}  // namespace avx512
}  // namespace catena

#endif
