#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/cpu/convolution/winograd/winograd_transforms.h"

namespace catena::winograd {

constexpr int64_t tiles_at_once = 32;  ///< What is read of so many stays in a core's cache.

/// Calls f(begin, next) for the tiles [first, end) that stand side by side, `columns` in a row.
template <class F>
void in_rows(int64_t first, int64_t end, int64_t columns, F&& f) {
    for (int64_t begin = first, next; begin < end; begin = next) {
        next = std::min(end, (begin / columns + 1) * columns);
        f(begin, next);
    }
}

/// Reads what tiles [first, end) cover of an array, line after line: the processor fetches what
/// follows such reads, but not what follows the rows of a tile, nor what is only written.
/// Transforming 4096 tiles of 64 channels takes 2.9 ms on one core without it, 1.4 with it, and
/// their results 1.8 and 1.0. `at`(index) gives a tile, of which `columns` stand side by side.
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
