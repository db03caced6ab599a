#pragma once

#include "runtime/cpu/convolution/tail/tail_numbers.h"

namespace catena {

constexpr int depthwise_side = 3;
constexpr int most_depthwise_lines = 4;  ///< The most lines of x that a tile reads.

/// Tiles of a depthwise convolution with 3x3 windows: neighbouring positions of the result, in one
/// or two lines, and vectors of its channels.
struct DepthwiseTiles {
    /// The address of the left tap of the first position, even if that is outside of x, in a line
    /// that begins at 0.
    const float* x;
    /// Offsets of the lines of the window, the uppermost first.
    int64_t lines[most_depthwise_lines];
    int64_t x_position;
    int64_t first_line, last_line;      ///< The lines of the window that are in x: [first, last).
    int64_t first_column, last_column;  ///< The columns, counted from `x` on, that are in x.
    /// Distance at which lines are prefetched, because these are more lines than the processor
    /// prefetches by itself; and, for the last vectors, the distance to the next tile.
    int64_t ahead, further;
    const float* W;  ///< The first tap of the first channel.
    int64_t W_tap;
    const TailNumbers* tail;
    int64_t channel, last_channel;  ///< The range [channel, last_channel) of channels.
    const float* other;  ///< The image that is added, at the first position and channel, or null.
    float* y;
    int64_t y_line, y_position;
    LargestLanes* largest;  ///< Receiver of the largest magnitudes; null: they are not needed.
};

/// The columns of a tile's windows that are outside of x: none, the first, the last, both, or any
/// others, which are looked up.
enum class TileEdges { none, left, right, both, any };

/// Whether column c of `columns` is in x.
template <TileEdges edges>
constexpr bool has_column(int c, int columns, const DepthwiseTiles& t) {
    if constexpr (edges == TileEdges::any) return c >= t.first_column && c < t.last_column;
    constexpr bool left = edges == TileEdges::left || edges == TileEdges::both,
                   right = edges == TileEdges::right || edges == TileEdges::both;
    return (c > 0 || !left) && (c < columns - 1 || !right);
}

}  // namespace catena
