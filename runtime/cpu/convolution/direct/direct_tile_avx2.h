#pragma once

#include <bit>

#include "runtime/cpu/convolution/direct/direct_tiles.h"
#include "runtime/cpu/convolution/tail/tail_registers_avx2.h"

// The tiles of direct_tile_avx512.h on AVX2, sixteen channels after sixteen. The bits are the same.

#if defined(__x86_64__)

namespace catena::avx2 {

namespace direct_detail {

constexpr int most_rows = 6;

/// Positions and sixteen channels of a tile.
struct Part {
    const float *x, *W, *other;
    float* y;
    int64_t W_step, channel, channels;  ///< Channels that are there from the first one on.
};

/// One register's channels of all positions.
template <int rows>
CATENA_AVX2_INLINE void store_part(const DirectTiles& t, const Part& part, int64_t first, __m256 (&sum)[rows]) {
    const bool clips = t.tail->only_clips(), notes = t.largest;
    const TailRegisters tail(*t.tail, part.channel + first, lanes_from(part.channels, first));
    __m256i largest = _mm256_setzero_si256();
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
        const int64_t at = i * t.y_row + first;
        const __m256 v = tail.clip(clips ? sum[i] : tail.add(sum[i], part.other ? part.other + at : nullptr));
        if (notes) largest = TailRegisters::larger(largest, v);
        store_first(part.y + at, tail.count, v);
    }
    if (notes) tail.note(t.largest, largest);
}

/// `next`: what is fetched meanwhile, or null.
template <int rows, bool single>
CATENA_AVX2 __attribute__((noinline)) void compute_part(const DirectTiles& t, const Part& part, const float* next) {
    __m256 left[rows], right[rows];
    const __m256 before_left = load_first(t.tail->before + part.channel, lanes_from(part.channels, 0));
    const __m256 before_right = load_first(t.tail->before + part.channel + lanes, lanes_from(part.channels, lanes));
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
        left[i] = before_left;
        right[i] = before_right;
        __builtin_prefetch(part.y + i * t.y_row, 1);
        __builtin_prefetch(part.y + i * t.y_row + tile_lanes - 1, 1);
    }
    const int64_t next_step = next ? t.next_step : 0;
    for (int64_t run = 0; run < t.run_count; ++run) {
        // Two pointers, so that the distances between three rows are parts of addresses.
        const float *upper = part.x + t.runs[run].x, *lower = upper + (rows > 3 ? 3 * t.x_row : 0), *W = part.W + t.runs[run].tap * part.W_step;
        const int64_t length = single ? 1 : t.length;
#pragma GCC unroll 1
        for (int64_t p = 0; p < length; ++p, ++upper, ++lower, W += part.W_step, next += next_step) {
            if (!single) _mm_prefetch(reinterpret_cast<const char*>(next), _MM_HINT_T1);
            const __m256 W_left = _mm256_load_ps(W), W_right = _mm256_load_ps(W + lanes);
#pragma GCC unroll 6
            for (int i = 0; i < rows; ++i) {
                const __m256 x = _mm256_broadcast_ss(i < 3 ? upper + i * t.x_row : lower + (i - 3) * t.x_row);
                left[i] = _mm256_fmadd_ps(x, W_left, left[i]);
                right[i] = _mm256_fmadd_ps(x, W_right, right[i]);
            }
        }
    }
    store_part(t, part, 0, left);
    store_part(t, part, lanes, right);
}

}  // namespace direct_detail

template <int rows, int vectors, bool single>
void compute_direct_tiles(const DirectTiles& tiles) {
    using namespace direct_detail;
    constexpr int row_parts = (rows + most_rows - 1) / most_rows, most = (rows + row_parts - 1) / row_parts;
    constexpr int64_t all = vectors * tile_lanes;
    const int64_t channels = all - tile_lanes + std::popcount(tiles.last);
    for (DirectTiles t = tiles; t.tiles > 0; --t.tiles) {
        const float* next = t.next;
        for (int64_t at = 0; at < all; at += tile_lanes, next = nullptr) {
            const auto part_from = [&](int64_t first) {
                const int64_t to = first * t.y_row + at;
                return Part{.x = t.x + first * t.x_row, .W = t.W + at, .other = t.other ? t.other + to : nullptr, .y = t.y + to, .W_step = all,
                            .channel = t.channel + at, .channels = channels - at};
            };
            compute_part<most, single>(t, part_from(0), next);
            if constexpr (most < rows) compute_part<rows - most, single>(t, part_from(most), nullptr);
        }
        t.x += rows * t.x_row;
        t.y += rows * t.y_row;
        if (t.other) t.other += rows * t.y_row;
        t.next += t.next_tile;
    }
}

}  // namespace catena::avx2

#endif
