#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/cpu/convolution/winograd/winograd_tile.h"

namespace catena::winograd {

/// The number of tiles whose inputs fit into a core's cache.
constexpr int64_t tiles_at_once = 32;

/// Calls f(begin, next) for each part of the tiles [first, end) that lies in one row; a row has
/// `columns` tiles.
template <class F>
void in_rows(int64_t first, int64_t end, int64_t columns, F&& f) {
    for (int64_t begin = first, next; begin < end; begin = next) {
        next = std::min(end, (begin / columns + 1) * columns);
        f(begin, next);
    }
}

/// Reads the elements that tiles [first, end) cover, line after line, which loads them into the
/// cache. The processor prefetches behind such reads, but not behind the rows of a tile, nor for
/// memory that is only written. Transforming 4096 tiles of 64 channels takes 2.9 ms on one core
/// without it, 1.4 with it, and their results 1.8 and 1.0. `at`(index) gives a tile; a row has
/// `columns` of them.
template <class TileAt>
void read_tiles(const TileAt& at, int64_t first, int64_t end, int64_t columns, const float* array,
                int64_t channels) {
    constexpr int64_t line = 16;
    in_rows(first, end, columns, [&](int64_t begin, int64_t next) {
        const Tile left = at(begin), right = at(next - 1);
        if (left.columns == 0 || right.columns == 0) return;
        const int64_t length =
            right.first + (right.columns - 1) * right.column_step + channels - left.first;
        for (int64_t row = 0; row < left.rows; ++row) {
            const volatile float* const from = array + left.first + row * left.row_step;
            for (int64_t i = 0; i < length; i += line) static_cast<void>(from[i]);
        }
    });
}

}  // namespace catena::winograd
