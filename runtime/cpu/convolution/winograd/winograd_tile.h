#pragma once

#include <cstdint>

namespace catena::winograd {

constexpr int64_t lanes = 16;  ///< The number of channels that are transformed together.

/// Floats between two of a tile's matrices: with a distance that is a power of two they would share
/// a few cache lines. Not where all of them are small: oneDNN is faster with contiguous matrices.
constexpr int64_t pad = lanes;
constexpr int64_t step_of(int64_t rows, int64_t columns) { return rows * columns + pad; }

/// A tile of an array [images, height, width, channels]: `rows` x `columns` of it from `first` on
/// lie in the array, at (top, left) of the tile; the other elements of the tile are outside of the
/// array.
struct Tile {
    int64_t top = 0, left = 0, rows = 0, columns = 0;
    int64_t first = 0;  ///< Offset of the first channel of the tile's first element in the array.
    int64_t row_step = 0, column_step = 0;

    /// The tile of later channels.
    Tile moved(int64_t channels) const {
        Tile tile = *this;
        tile.first += channels;
        return tile;
    }
};

}  // namespace catena::winograd
