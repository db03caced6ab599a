#pragma once

#include <algorithm>

#include "runtime/cpu/convolution/direct/depthwise_tiles.h"
#include "runtime/cpu/convolution/tail/tail_registers_avx2.h"

// The tiles of depthwise_tile_avx512.h on AVX2, in parts of few columns: nine weights and six sums fill the registers. The bits are the same.

#if defined(__x86_64__)

namespace catena::avx2 {

namespace depthwise_detail {

/// The first `count` of eight channels.
template <int lines, int columns>
CATENA_AVX2_INLINE void store_part(const DepthwiseTiles& t, int64_t count, __m256 (&sum)[lines][columns]) {
    const TailRegisters tail(*t.tail, t.channel, count);
    const bool clips = t.tail->only_clips();
    __m256i largest = _mm256_setzero_si256();
#pragma GCC unroll 2
    for (int l = 0; l < lines; ++l)
#pragma GCC unroll 4
        for (int b = 0; b < columns; ++b) {
            const int64_t at = l * t.y_line + b * t.y_position;
            const __m256 v = tail.clip(clips ? sum[l][b] : tail.add(sum[l][b], t.other ? t.other + at : nullptr));
            largest = TailRegisters::larger(largest, v);
            store_first(t.y + at, count, v);
        }
    tail.note(t.largest, largest);
}

template <int lines, int columns, int steps, bool whole>
CATENA_AVX2 void compute_part(DepthwiseTiles t) {
    constexpr int side = depthwise_side, in_lines = (lines - 1) * steps + side, in_columns = (columns - 1) * steps + side;
    for (; t.channel < t.last_channel; t.channel += lanes, t.x += lanes, t.W += lanes, t.y += lanes) {
        const int64_t left = t.last_channel - t.channel, count = std::min(left, lanes), ahead = left > t.ahead ? t.ahead : t.ahead + t.further;
        const __m256 before = load_first(t.tail->before + t.channel, count);
        __m256 sum[lines][columns], W[side][side];
#pragma GCC unroll 2
        for (int l = 0; l < lines; ++l)
#pragma GCC unroll 4
            for (int b = 0; b < columns; ++b) sum[l][b] = before;
#pragma GCC unroll 3
        for (int i = 0; i < side; ++i)
#pragma GCC unroll 3
            for (int j = 0; j < side; ++j) W[i][j] = load_first(t.W + (i * side + j) * t.W_tap, count);
#pragma GCC unroll 4
        for (int r = 0; r < in_lines; ++r) {
            if (r < t.first_line || r >= t.last_line) continue;
#pragma GCC unroll 9
            for (int c = 0; c < in_columns; ++c) {
                if (!whole && (c < t.first_column || c >= t.last_column)) continue;
                const float* const at = t.x + t.lines[r] + c * t.x_position;
                // The other lines were read by the tile above.
                if (r >= in_lines - lines * steps) _mm_prefetch(reinterpret_cast<const char*>(at + ahead), _MM_HINT_T0);
                const __m256 x = load_first(at, count);
#pragma GCC unroll 2
                for (int l = 0; l < lines; ++l) {
                    const int i = r - l * steps;
                    if (i < 0 || i >= side) continue;
#pragma GCC unroll 3
                    for (int j = 0; j < side; ++j) {
                        if ((c - j) % steps != 0 || c < j || (c - j) / steps >= columns) continue;
                        sum[l][(c - j) / steps] = _mm256_fmadd_ps(x, W[i][j], sum[l][(c - j) / steps]);
                    }
                }
            }
        }
        store_part(t, count, sum);
        if (t.other) t.other += lanes;
    }
}

}  // namespace depthwise_detail

template <int lines, int columns, int steps, bool whole>
void compute_depthwise_tiles(const DepthwiseTiles& tiles) {
    constexpr int most = lines == 2 ? 3 : 4, now = columns <= most ? columns : columns == most + 1 ? columns / 2 : most;
    depthwise_detail::compute_part<lines, now, steps, whole>(tiles);
    if constexpr (now < columns) {
        DepthwiseTiles rest = tiles;
        rest.x += now * steps * rest.x_position;
        rest.first_column -= now * steps;
        rest.last_column -= now * steps;
        rest.y += now * rest.y_position;
        if (rest.other) rest.other += now * rest.y_position;
        compute_depthwise_tiles<lines, columns - now, steps, whole>(rest);
    }
}

}  // namespace catena::avx2

#endif
