#pragma once

#include <algorithm>

#include "runtime/cpu/convolution/direct/depthwise_tiles.h"
#include "runtime/cpu/convolution/tail/tail_registers_avx2.h"

// The tiles of depthwise_tile_avx512.h on AVX2, line by line: the sums of up to seven positions are
// in registers, a weight for all of them, and x in the first-level cache. The bits are the same.

#if defined(__x86_64__)

namespace catena::avx2 {

namespace depthwise_detail {

template <bool all>
CATENA_AVX2_INLINE __m256 load_channels(const float* from, int64_t count) {
    return all ? _mm256_loadu_ps(from) : load_first(from, count);
}

/// Stores the sums of the first `count` of eight channels of a line.
template <TailKind kind, int columns>
CATENA_AVX2_INLINE void store_sums(const DepthwiseTiles& t, int64_t line, int64_t count,
                                   __m256 (&sum)[columns]) {
    const TailRegisters<kind> tail(*t.tail, t.channel, count);
    // Read before the first store, which might change all else for what the compiler knows.
    LargestLanes* const known = t.largest;
    const float* other = kind.only_clips || !t.other ? nullptr : t.other + line * t.y_line;
    float* y = t.y + line * t.y_line;
    const int64_t position = t.y_position, other_position = other ? position : 0;
    __m256i largest = _mm256_setzero_si256();
#pragma GCC unroll 7
    for (int b = 0; b < columns; ++b, y += position, other += other_position) {
        const __m256 v = tail.finish(sum[b], other);
        largest = tail.larger(largest, v);
        tail.store(y, v);
    }
    tail.note(known, largest);
}

/// Computes eight channels of a line of the tile or, unless `all`, the first `count` of them.
template <int columns, int steps, TileEdges edges, bool all>
CATENA_AVX2_INLINE void compute_line(const DepthwiseTiles& t, int line, int64_t count) {
    constexpr int side = depthwise_side, in_columns = (columns - 1) * steps + side;
    __m256 sum[columns];
    const __m256 before = load_channels<all>(t.tail->before + t.channel, count);
#pragma GCC unroll 7
    for (int b = 0; b < columns; ++b) sum[b] = before;
    const int first = line * steps, begin = std::max(first, int(t.first_line)),
              end = int(std::min<int64_t>(first + side, t.last_line));
    const float* taps = t.W + (begin - first) * side * t.W_tap;
#pragma GCC unroll 1
    for (int r = begin; r < end; ++r, taps += side * t.W_tap) {
        const float* const from = t.x + t.lines[r];
#pragma GCC unroll 3
        for (int j = 0; j < side; ++j) {
            const __m256 W = load_channels<all>(taps + j * t.W_tap, count);
#pragma GCC unroll 7
            for (int b = 0; b < columns; ++b) {
                const int c = b * steps + j;
                if (has_column<edges>(c, in_columns, t))
                    sum[b] = _mm256_fmadd_ps(load_channels<all>(from + c * t.x_position, count), W,
                                             sum[b]);
            }
        }
    }
    if (!t.tail->only_clips())
        store_sums<TailKind{all, false, true}>(t, line, count, sum);
    else
        store_sums<TailKind{all, true, true}>(t, line, count, sum);
}

}  // namespace depthwise_detail

/// Computes a tile with AVX2. Nothing is prefetched: that was slower (on a Zen 3).
template <int lines, int columns, int steps, TileEdges edges>
CATENA_AVX2 void compute_depthwise_tiles(const DepthwiseTiles& tiles) {
    using namespace depthwise_detail;
    for (DepthwiseTiles t = tiles; t.channel < t.last_channel;
         t.channel += avx2::lanes, t.x += avx2::lanes, t.W += avx2::lanes, t.y += avx2::lanes) {
        const int64_t left = t.last_channel - t.channel;
#pragma GCC unroll 1
        for (int line = 0; line < lines; ++line) {
            if (left >= avx2::lanes)
                compute_line<columns, steps, edges, true>(t, line, avx2::lanes);
            else
                compute_line<columns, steps, edges, false>(t, line, left);
        }
        if (t.other) t.other += avx2::lanes;
    }
}

}  // namespace catena::avx2

#endif
