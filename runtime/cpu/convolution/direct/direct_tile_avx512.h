#pragma once

#include "runtime/cpu/convolution/direct/direct_tiles.h"
#include "runtime/cpu/convolution/tail/tail_registers_avx512.h"

#if defined(__x86_64__)

namespace catena::avx512 {

namespace direct_detail {

template <int vectors>
__mmask16 lanes_of(const DirectTiles& t, int vector) {
    return vector + 1 < vectors ? __mmask16(0xffff) : __mmask16(t.last);
}

template <int rows, int vectors, bool clips, bool notes>
CATENA_AVX512 inline __attribute__((always_inline)) void store_tile(const DirectTiles& t,
                                                                    __m512 (&sum)[rows][vectors]) {
    const float* const other = t.other ? t.other : t.y;
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) {
        const __mmask16 there = lanes_of<vectors>(t, j);
        const __mmask16 added = t.other ? there : __mmask16(0);
        const TailRegisters tail(*t.tail, t.channel + j * tile_lanes, there);
        __m512i largest = _mm512_setzero_si512();
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            const int64_t at = i * t.y_row + j * tile_lanes;
            const __m512 v = tail.clip(clips ? sum[i][j] : tail.add(sum[i][j], other + at, added));
            if (notes) largest = TailRegisters::larger(largest, v);
            if (j + 1 < vectors)
                _mm512_storeu_ps(t.y + at, v);
            else
                _mm512_mask_storeu_ps(t.y + at, there, v);
        }
        if (notes) tail.note(t.largest, largest);
    }
}

}  // namespace direct_detail

namespace direct_detail {

/// Computes one tile. Not inlined into the loop: values that would be held in registers from tile
/// to tile would take those of the sums.
template <int rows, int vectors, bool single>
CATENA_AVX512 __attribute__((noinline)) void compute_tile(const DirectTiles& t) {
    __m512 sum[rows][vectors];
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) {
        const __m512 before = _mm512_maskz_loadu_ps(lanes_of<vectors>(t, j),
                                                    t.tail->before + t.channel + j * tile_lanes);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            sum[i][j] = before;
            // What is written is not in the cache: otherwise each store would wait for its line.
            __builtin_prefetch(t.y + i * t.y_row + j * tile_lanes, 1);
        }
    }
    const float* next = t.next;
    for (int64_t run = 0; run < t.run_count; ++run) {
        // Two pointers, so that the distances between four rows are parts of addresses.
        const float *upper = t.x + t.runs[run].x, *lower = upper + (rows > 4 ? 4 * t.x_row : 0),
                    *W = t.W + t.runs[run].tap * vectors * tile_lanes;
        const int64_t length = single ? 1 : t.length;
#pragma GCC unroll 1
        for (int64_t p = 0; p < length;
             ++p, ++upper, ++lower, W += vectors * tile_lanes, next += t.next_step) {
            if (!single) _mm_prefetch(reinterpret_cast<const char*>(next), _MM_HINT_T1);
            __m512 w[vectors];
#pragma GCC unroll 3
            for (int j = 0; j < vectors; ++j) w[j] = _mm512_load_ps(W + j * tile_lanes);
#pragma GCC unroll 8
            for (int i = 0; i < rows; ++i) {
                const __m512 x =
                    _mm512_set1_ps(i < 4 ? upper[i * t.x_row] : lower[(i - 4) * t.x_row]);
#pragma GCC unroll 3
                for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_fmadd_ps(x, w[j], sum[i][j]);
            }
        }
    }
    if (!t.tail->only_clips())
        store_tile<rows, vectors, false, true>(t, sum);
    else if (t.largest)
        store_tile<rows, vectors, true, true>(t, sum);
    else
        store_tile<rows, vectors, true, false>(t, sum);
}

}  // namespace direct_detail

/// Computes tiles: sums in registers, in the order of the taps whatever the tiles are, and then the
/// epilogue. `single`: runs have one tap.
template <int rows, int vectors, bool single>
void compute_direct_tiles(const DirectTiles& tiles) {
    for (DirectTiles t = tiles; t.tiles > 0; --t.tiles) {
        direct_detail::compute_tile<rows, vectors, single>(t);
        t.x += rows * t.x_row;
        t.y += rows * t.y_row;
        if (t.other) t.other += rows * t.y_row;
        t.next += t.next_tile;
    }
}

}  // namespace catena::avx512

#endif
