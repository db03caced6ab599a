#pragma once

// Tiles mix the values of all their windows, so each result has the rounding errors of the largest
// value of its tile, also where its own window has but small ones. How much that can be is known
// from the lengths of positions, the root of the sum of the squares of their channels: beside a
// tile's largest, each window must have one that is at least 1/1024 of it. Then a result is off by
// no more than 1e-3 of what its window can give, the longest position of it times the length of its
// weights; where the numbers are of one size by 1e-6 (docs/mathematics.md).

#include <cstdint>

namespace catena::winograd {

/// Images [images, height, width, channels].
struct Images {
    const float* first;
    int64_t height, width, channels;
};

/// A row of neighbouring tiles: the place where the first begins, which may be outside of its
/// image; tiles read 0 there.
struct TileStrip {
    int64_t image, row, column, tiles;
};

/// The form of tiles: `side` positions each, `step` apart, and the windows in them.
struct TileForm {
    int64_t side, step;
    int64_t window, window_step;
};

/// Whether all windows of the tiles are even, that is, none holds only numbers that are small
/// beside the tile's largest, which would be lost by rounding. Windows of nothing but 0 are even:
/// their result is 0, up to the errors of the tile's largest. Everything that the tiles read is
/// read, line after line (read_tiles.h).
bool are_windows_even(const Images& images, const TileStrip& strip, const TileForm& form);

}  // namespace catena::winograd
