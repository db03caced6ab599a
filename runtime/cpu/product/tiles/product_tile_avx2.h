#pragma once

// The tiles of product_tile.h on AVX2, sixteen columns after sixteen: twelve registers hold the
// sums of six rows, three what they are made of. A sum runs along k as with AVX-512.

#include <algorithm>
#include <bit>

#include "runtime/core/system/error.h"
#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/product/tiles/tile.h"

#if defined(__x86_64__)

namespace catena::avx2 {

constexpr int most_rows = 6;

/// A part of a tile, of two registers of columns.
struct TilePart {
    const float* a;
    int64_t a_row, a_step;
    const float* b;
    int64_t b_step, k;
    const float* plus;
    int64_t plus_row;
    float* c;
    int64_t c_row, columns;
    LineWalk* ahead;
    int64_t lines_ahead;
};

/// Adds the products of `steps` steps of k. `unit`: a row of a is contiguous.
template <int rows, int steps, bool unit>
CATENA_AVX2_INLINE void add_steps(const TilePart& t, const float*& upper, const float*& lower,
                                  const float*& b, __m256 (&left)[rows], __m256 (&right)[rows]) {
#pragma GCC unroll 8
    for (int p = 0; p < steps; ++p) {
        const __m256 b_left = _mm256_load_ps(b), b_right = _mm256_load_ps(b + lanes);
#pragma GCC unroll 6
        for (int i = 0; i < rows; ++i) {
            const __m256 a =
                _mm256_broadcast_ss(i < 3 ? upper + i * t.a_row : lower + (i - 3) * t.a_row);
            left[i] = _mm256_fmadd_ps(a, b_left, left[i]);
            right[i] = _mm256_fmadd_ps(a, b_right, right[i]);
        }
        upper += unit ? 1 : t.a_step;
        lower += unit ? 1 : t.a_step;
        b += t.b_step;
    }
}

/// Computes all sums of a tile.
template <int rows, bool unit>
CATENA_AVX2_INLINE void add_products(const TilePart& t, __m256 (&left)[rows],
                                     __m256 (&right)[rows]) {
    constexpr int at_once =
        8;  // Fewer instructions for each step, which counts where two threads share a core.
    // Two pointers, so that the distances between three rows are parts of addresses.
    const float *upper = t.a, *lower = t.a + (rows > 3 ? 3 * t.a_row : 0), *b = t.b;
    int64_t p = 0, fetched = 0;
#pragma GCC unroll 1
    for (; p + at_once <= t.k; p += at_once) {
        for (const int64_t end = std::min(t.lines_ahead, p + at_once); fetched < end; ++fetched)
            _mm_prefetch(reinterpret_cast<const char*>(t.ahead->next()), _MM_HINT_T1);
        add_steps<rows, at_once, unit>(t, upper, lower, b, left, right);
    }
#pragma GCC unroll 1
    for (; p < t.k; ++p) add_steps<rows, 1, unit>(t, upper, lower, b, left, right);
}

/// Stores the sums of sixteen columns or, unless `all`, of the first of them.
template <int rows, bool all>
CATENA_AVX2_INLINE void store_sums(const TilePart& t, __m256 (&left)[rows], __m256 (&right)[rows]) {
    const int64_t in_left = all ? lanes : lanes_from(t.columns, 0),
                  in_right = all ? lanes : lanes_from(t.columns, lanes);
    // Read before the first store, which might change all else for what the compiler knows.
    const float* plus = t.plus;
    float* c = t.c;
    const int64_t c_row = t.c_row, plus_row = t.plus_row;
    if (plus)
#pragma GCC unroll 6
        for (int i = 0; i < rows; ++i, plus += plus_row) {
            left[i] = _mm256_add_ps(left[i], load_first(plus, in_left));
            right[i] = _mm256_add_ps(right[i], load_first(plus + lanes, in_right));
        }
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i, c += c_row) {
        store_first(c, in_left, left[i]);
        store_first(c + lanes, in_right, right[i]);
    }
}

template <int rows>
CATENA_AVX2 void compute_part(const TilePart& t) {
    __m256 left[rows], right[rows];
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
        left[i] = right[i] = _mm256_setzero_ps();
        // What is written is not in the cache: otherwise each store would wait for its line.
        __builtin_prefetch(t.c + i * t.c_row, 1);
        __builtin_prefetch(t.c + i * t.c_row + tile_lanes - 1, 1);
    }
    if (t.a_step == 1)
        add_products<rows, true>(t, left, right);
    else
        add_products<rows, false>(t, left, right);
    if (t.columns >= tile_lanes)
        store_sums<rows, true>(t, left, right);
    else
        store_sums<rows, false>(t, left, right);
}

inline void compute_part(const TilePart& t, int64_t rows) {
    switch (rows) {
        case 1:
            return compute_part<1>(t);
        case 2:
            return compute_part<2>(t);
        case 3:
            return compute_part<3>(t);
        case 4:
            return compute_part<4>(t);
        case 5:
            return compute_part<5>(t);
        case 6:
            return compute_part<most_rows>(t);
    }
    CATENA_ASSERT(false, "a tile has up to six rows");
}

/// Fills the panel of a first tile from the rows of b.
template <int vectors>
CATENA_AVX2 void fill_panel(const Tile& t, int64_t columns) {
    constexpr int64_t width = vectors * tile_lanes, rows_ahead = 8;
    const float* from = t.from;
    float* to = t.panel.columns;
    for (int64_t p = 0; p < t.k; ++p, from += t.from_row, to += width)
#pragma GCC unroll 6
        for (int64_t j = 0; j < width; j += lanes) {
            if (j % tile_lanes == 0)
                _mm_prefetch(reinterpret_cast<const char*>(from + rows_ahead * t.from_row + j),
                             _MM_HINT_T0);
            const bool is_whole = j < width - tile_lanes;
            _mm256_store_ps(to + j,
                            load_first(from + j, is_whole ? lanes : lanes_from(columns, j)));
        }
}

/// Packs rows of a that are interleaved (a transposed a) as [k, rows of a tile].
CATENA_AVX2 inline void pack_rows(const Tile& t, int64_t rows) {
    constexpr int64_t columns_ahead = 16;
    for (int64_t p = 0; p < t.k; ++p) {
        const float* const column = t.a + p * t.a_step;
        _mm_prefetch(reinterpret_cast<const char*>(column + columns_ahead * t.a_step), _MM_HINT_T0);
        store_first(t.packed + p * most_rows, most_rows, load_first(column, rows));
    }
}

/// Computes a tile of 1 to 6 rows and `vectors` vectors of sixteen columns.
template <int vectors>
void compute_rows(const Tile& t, int64_t rows) {
    const int64_t columns = (vectors - 1) * tile_lanes + std::popcount(t.last);
    if (t.from) fill_panel<vectors>(t, columns);
    if (t.packed) pack_rows(t, rows);
    TilePart part{.a = t.a,
                  .a_row = t.a_row,
                  .a_step = t.a_step,
                  .b = t.panel.columns,
                  .b_step = t.panel.row_step,
                  .k = t.k,
                  .plus = t.plus,
                  .plus_row = t.plus_row,
                  .c = t.c,
                  .c_row = t.c_row,
                  .columns = columns,
                  .ahead = t.ahead,
                  .lines_ahead = t.lines_ahead};
    for (int vector = 0; vector < vectors; ++vector) {
        compute_part(part, rows);
        part.b += t.panel.vector_step;
        if (t.plus) part.plus += tile_lanes;
        part.c += tile_lanes;
        part.columns -= tile_lanes;
        part.lines_ahead = 0;
    }
}

}  // namespace catena::avx2

#endif
