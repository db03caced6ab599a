#pragma once

#include <bit>

#include "runtime/cpu/convolution/direct/direct_tiles.h"
#include "runtime/cpu/convolution/tail/tail_registers_avx2.h"

// The tiles of direct_tile_avx512.h on AVX2, of sixteen channels. The bits are the same.

#if defined(__x86_64__)

namespace catena::avx2 {

/// The most rows (positions) of a tile.
constexpr int most_direct_rows = 6;

namespace direct_detail {

/// Stores one register's channels of all positions. `count` of the channels exist, and the first is
/// channel `first` of the tile.
template <TailKind kind, int rows>
CATENA_AVX2_INLINE void store_sums(const DirectTiles& t, int64_t first, int64_t count,
                                   __m256 (&sum)[rows]) {
    const TailRegisters<kind> tail(*t.tail, t.channel + first, count);
    // Read before the first store, which might change all else for what the compiler knows.
    LargestLanes* const known = t.largest;
    const float* other = kind.only_clips || !t.other ? nullptr : t.other + first;
    float* y = t.y + first;
    const int64_t row = t.y_row, other_row = other ? row : 0;
    __m256i largest = _mm256_setzero_si256();
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i, y += row, other += other_row) {
        const __m256 v = tail.finish(sum[i], other);
        largest = tail.larger(largest, v);
        tail.store(y, v);
    }
    tail.note(known, largest);
}

template <bool all, int rows>
CATENA_AVX2_INLINE void store_register(const DirectTiles& t, int64_t first, int64_t count,
                                       __m256 (&sum)[rows]) {
    if (!t.tail->only_clips())
        store_sums<TailKind{all, false, true}>(t, first, count, sum);
    else if (t.largest)
        store_sums<TailKind{all, true, true}>(t, first, count, sum);
    else
        store_sums<TailKind{all, true, false}>(t, first, count, sum);
}

/// Adds the products of `taps` contiguous taps.
template <int rows, int taps>
CATENA_AVX2_INLINE void add_taps(const float* upper, const float* lower, int64_t x_row,
                                 const float* W, __m256 (&left)[rows], __m256 (&right)[rows]) {
#pragma GCC unroll 8
    for (int p = 0; p < taps; ++p) {
        const __m256 W_left = _mm256_load_ps(W + p * tile_lanes),
                     W_right = _mm256_load_ps(W + p * tile_lanes + lanes);
#pragma GCC unroll 6
        for (int i = 0; i < rows; ++i) {
            const __m256 x =
                _mm256_broadcast_ss((i < 3 ? upper + i * x_row : lower + (i - 3) * x_row) + p);
            left[i] = _mm256_fmadd_ps(x, W_left, left[i]);
            right[i] = _mm256_fmadd_ps(x, W_right, right[i]);
        }
    }
}

/// The number of taps that are added at a time: fewer instructions for each, which counts where two
/// threads share a core.
constexpr int at_once = 8;
constexpr int64_t line = 16;  ///< The number of floats of a cache line.

/// Computes one tile.
template <int rows, bool single>
CATENA_AVX2 __attribute__((noinline)) void compute_tile(const DirectTiles& t, int64_t channels) {
    __m256 left[rows], right[rows];
    const __m256 before_left = load_first(t.tail->before + t.channel, lanes_from(channels, 0));
    const __m256 before_right =
        load_first(t.tail->before + t.channel + lanes, lanes_from(channels, lanes));
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
        left[i] = before_left;
        right[i] = before_right;
        __builtin_prefetch(
            t.y + i * t.y_row,
            1);  // It is not in the cache: otherwise each store would wait for its line.
    }
    const float* next = t.next;
    const int64_t ahead = t.fetches_weights ? (at_once * t.next_step + line - 1) / line * line
                                            : 0;  // x is near enough.
    for (int64_t run = 0; run < t.run_count; ++run) {
        // Two pointers, so that the distances between three rows are parts of addresses.
        const float *upper = t.x + t.runs[run].x, *lower = upper + (rows > 3 ? 3 * t.x_row : 0),
                    *W = t.W + t.runs[run].tap * tile_lanes;
        if (single) {
            add_taps<rows, 1>(upper, lower, t.x_row, W, left, right);
            continue;
        }
        int64_t p = 0;
#pragma GCC unroll 1
        for (; p + at_once <= t.length;
             p += at_once, upper += at_once, lower += at_once, W += at_once * tile_lanes) {
            for (const float* const end = next + ahead; next < end; next += line)
                _mm_prefetch(reinterpret_cast<const char*>(next), _MM_HINT_T1);
            add_taps<rows, at_once>(upper, lower, t.x_row, W, left, right);
        }
#pragma GCC unroll 1
        for (; p < t.length; ++p, ++upper, ++lower, W += tile_lanes)
            add_taps<rows, 1>(upper, lower, t.x_row, W, left, right);
    }
    if (channels == tile_lanes) {
        store_register<true>(t, 0, lanes, left);
        store_register<true>(t, lanes, lanes, right);
    } else {
        store_register<false>(t, 0, lanes_from(channels, 0), left);
        store_register<false>(t, lanes, lanes_from(channels, lanes), right);
    }
}

}  // namespace direct_detail

template <int rows, bool single>
void compute_direct_tiles(const DirectTiles& tiles) {
    const int64_t channels = std::popcount(tiles.last);
    for (DirectTiles t = tiles; t.tiles > 0; --t.tiles) {
        direct_detail::compute_tile<rows, single>(t, channels);
        t.x += rows * t.x_row;
        t.y += rows * t.y_row;
        if (t.other) t.other += rows * t.y_row;
        t.next += t.next_tile;
    }
}

}  // namespace catena::avx2

#endif
