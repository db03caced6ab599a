#pragma once

#include <cstdint>

namespace catena::winograd {

constexpr int64_t out_side = 4, in_side = 6, values = in_side * in_side;
constexpr int64_t lanes = 16;  ///< The number of channels that are transformed together.

/// A tile of an array [images, height, width, channels]: `rows` x `columns` of it from `first` on
/// lie in the array, at (top, left) of the tile; the other elements of the tile are outside of the
/// array.
struct Tile {
    int64_t top = 0, left = 0, rows = 0, columns = 0;
    int64_t first = 0;  ///< Offset of the first channel of the tile's first element in the array.
    int64_t row_step = 0, column_step = 0;
};

}  // namespace catena::winograd
