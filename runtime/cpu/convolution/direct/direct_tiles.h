#pragma once

#include "runtime/cpu/convolution/tail/tail_numbers.h"

namespace catena {

/// Neighbouring tiles: positions of a convolution's result whose windows have the same taps inside
/// of x, and one to three vectors of its channels.
struct DirectTiles {
    /// A run of contiguous taps: its offset in x from the window's first tap on, and the number of
    /// its first tap in W.
    struct Run {
        int64_t x, tap;
    };
    int64_t tiles;
    const Run* runs;
    int64_t run_count, length;  ///< The number of runs, and the number of taps of each.
    const float* x;
    int64_t x_row;   ///< Distance from a position's taps to those of the next.
    const float* W;  ///< The weights: for each tap those of all channels of the tile, contiguous.
    /// The memory to prefetch: `next_step` numbers for each tap, `next_tile` for each tile.
    const float* next;
    /// Whether `next` is the weights of the next tiles; otherwise it is their x.
    bool fetches_weights;
    int64_t next_step, next_tile;
    const TailNumbers* tail;
    int64_t channel;     ///< The first channel of the tile.
    uint16_t last;       ///< A mask of the lanes of the last vector that are channels.
    const float* other;  ///< The image that is added, at the first position and channel, or null.
    float* y;
    int64_t y_row;          ///< Distance between positions, of y and of `other`.
    LargestLanes* largest;  ///< Receiver of the largest magnitudes; null: they are not needed.
};

}  // namespace catena
