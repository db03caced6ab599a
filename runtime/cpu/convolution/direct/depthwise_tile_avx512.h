#pragma once

#include "runtime/cpu/convolution/direct/depthwise_tiles.h"
#include "runtime/cpu/convolution/tail/tail_registers_avx512.h"

#if defined(__x86_64__)

namespace catena::avx512 {

namespace depthwise_detail {

template <int lines, int columns, bool clips, bool notes>
CATENA_AVX512 inline __attribute__((always_inline)) void store_tile(const DepthwiseTiles& t,
                                                                    __mmask16 there,
                                                                    __m512 (&sum)[lines][columns]) {
    const TailRegisters tail(*t.tail, t.channel, there);
    const __mmask16 added = t.other ? there : __mmask16(0);
    const float* const other = t.other ? t.other : t.y;
    __m512i largest[lines] = {};
#pragma GCC unroll 2
    for (int l = 0; l < lines; ++l)
#pragma GCC unroll 7
        for (int b = 0; b < columns; ++b) {
            const int64_t at = l * t.y_line + b * t.y_position;
            const __m512 v = tail.clip(clips ? sum[l][b] : tail.add(sum[l][b], other + at, added));
            if (notes) largest[l] = TailRegisters::larger(largest[l], v);
            _mm512_mask_storeu_ps(t.y + at, there, v);
        }
    if (notes)
        tail.note(t.largest,
                  lines == 1 ? largest[0] : _mm512_max_epi32(largest[0], largest[lines - 1]));
}

}  // namespace depthwise_detail

/// Computes `lines` x `columns` positions in steps of `steps`; `whole`: all columns are in x. Each
/// input is read once. A sum runs over its window line by line, whatever the tile is.
template <int lines, int columns, int steps, bool whole>
CATENA_AVX512 void compute_depthwise_tiles(const DepthwiseTiles& tiles) {
    constexpr int side = depthwise_side, in_lines = (lines - 1) * steps + side,
                  in_columns = (columns - 1) * steps + side;
    static_assert(in_lines <= most_depthwise_lines);
    DepthwiseTiles t = tiles;  // Nobody else writes to it.
    for (; t.channel < t.last_channel;
         t.channel += tile_lanes, t.x += tile_lanes, t.W += tile_lanes, t.y += tile_lanes) {
        const int64_t left = t.last_channel - t.channel,
                      ahead = left > t.ahead ? t.ahead : t.ahead + t.further;
        const __mmask16 there = left < tile_lanes ? __mmask16((1u << left) - 1) : __mmask16(0xffff);
        const __m512 before = _mm512_maskz_loadu_ps(there, t.tail->before + t.channel);
        __m512 sum[lines][columns], W[side][side];
#pragma GCC unroll 2
        for (int l = 0; l < lines; ++l)
#pragma GCC unroll 7
            for (int b = 0; b < columns; ++b) sum[l][b] = before;
#pragma GCC unroll 3
        for (int i = 0; i < side; ++i)
#pragma GCC unroll 3
            for (int j = 0; j < side; ++j)
                W[i][j] = _mm512_maskz_loadu_ps(there, t.W + (i * side + j) * t.W_tap);
#pragma GCC unroll 4
        for (int r = 0; r < in_lines; ++r) {
            if (r < t.first_line || r >= t.last_line) continue;
#pragma GCC unroll 16
            for (int c = 0; c < in_columns; ++c) {
                if (!whole && (c < t.first_column || c >= t.last_column)) continue;
                const float* const at = t.x + t.lines[r] + c * t.x_position;
                // The other lines were read by the tile above.
                if (r >= in_lines - lines * steps)
                    _mm_prefetch(reinterpret_cast<const char*>(at + ahead), _MM_HINT_T0);
                const __m512 x = _mm512_maskz_loadu_ps(there, at);
#pragma GCC unroll 2
                for (int l = 0; l < lines; ++l) {
                    const int i = r - l * steps;
                    if (i < 0 || i >= side) continue;
#pragma GCC unroll 3
                    for (int j = 0; j < side; ++j) {
                        if ((c - j) % steps != 0 || c < j || (c - j) / steps >= columns) continue;
                        sum[l][(c - j) / steps] =
                            _mm512_fmadd_ps(x, W[i][j], sum[l][(c - j) / steps]);
                    }
                }
            }
        }
        if (!t.tail->only_clips())
            depthwise_detail::store_tile<lines, columns, false, true>(t, there, sum);
        else if (t.largest)
            depthwise_detail::store_tile<lines, columns, true, true>(t, there, sum);
        else
            depthwise_detail::store_tile<lines, columns, true, false>(t, there, sum);
        if (t.other) t.other += tile_lanes;
    }
}

}  // namespace catena::avx512

#endif
