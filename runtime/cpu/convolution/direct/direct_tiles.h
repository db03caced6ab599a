#pragma once

#include "runtime/cpu/convolution/tail/tail_numbers.h"

namespace catena {

/// Tiles side by side: positions of a convolution's result whose windows have the same taps inside
/// of x, and one to three vectors of its channels.
struct DirectTiles {
    /// Where neighbouring taps begin: in x, from the window's first one on, and which tap of W is
    /// the first.
    struct Run {
        int64_t x, tap;
    };
    int64_t tiles;
    const Run* runs;
    int64_t run_count, length;  ///< Each run has as many taps.
    const float* x;
    int64_t x_row;   ///< From a position's taps to those of the next.
    const float* W;  ///< Taps with the weights of all channels of the tile side by side.
    const float*
        next;  ///< What is read soon: `next_step` numbers for each tap, `next_tile` for each tile.
    bool fetches_weights;  ///< It is the weights of the next tiles, otherwise their x.
    int64_t next_step, next_tile;
    const TailNumbers* tail;
    int64_t channel;     ///< The first one of the tile.
    uint16_t last;       ///< Which lanes of the last vector are channels.
    const float* other;  ///< For the first position and channel, or null.
    float* y;
    int64_t y_row;          ///< Between positions, of `other`, too.
    LargestLanes* largest;  ///< Null where nobody wants to know.
};

}  // namespace catena
