#pragma once

#include "runtime/cpu/convolution/tail/tail_numbers.h"

namespace catena {

constexpr int depthwise_side = 3;
constexpr int most_depthwise_lines = 4;  ///< Of x, that a tile reads.

/// Neighbouring positions of a depthwise convolution's result, 3x3 windows, in one or two lines,
/// and vectors of its channels.
struct DepthwiseTiles {
    const float* x;  ///< The left tap of the first position, also where that is outside of x, in a
                     ///< line that begins at 0.
    int64_t
        lines[most_depthwise_lines];  ///< Where the lines of the window begin, the uppermost first.
    int64_t x_position;
    int64_t first_line, last_line;      ///< Lines of the window that are in x: [first, last).
    int64_t first_column, last_column;  ///< Columns from `x` on that are in x.
    /// What is so far ahead is fetched meanwhile: these are more lines than the processor follows
    /// by itself. For the last vectors it is in the next tile, `further` on.
    int64_t ahead, further;
    const float* W;  ///< The first tap of the first channel.
    int64_t W_tap;
    const TailNumbers* tail;
    int64_t channel, last_channel;  ///< [channel, last_channel)
    const float* other;             ///< For the first position and channel, or null.
    float* y;
    int64_t y_line, y_position;
    LargestLanes* largest;  ///< Null where nobody wants to know.
};

/// Which columns of a tile's windows are outside of x: none, the first, the last, both, or any
/// others, which are looked up.
enum class TileEdges { none, left, right, both, any };

/// Whether column c of so many is in x.
template <TileEdges edges>
constexpr bool has_column(int c, int columns, const DepthwiseTiles& t) {
    if constexpr (edges == TileEdges::any) return c >= t.first_column && c < t.last_column;
    constexpr bool left = edges == TileEdges::left || edges == TileEdges::both,
                   right = edges == TileEdges::right || edges == TileEdges::both;
    return (c > 0 || !left) && (c < columns - 1 || !right);
}

}  // namespace catena
