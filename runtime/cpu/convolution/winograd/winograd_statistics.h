#pragma once

#include "runtime/cpu/column_statistics.h"
#include "runtime/cpu/convolution/winograd/winograd_sizes.h"

namespace catena::winograd {

/// The number of tiles whose results form one block of the channels' statistics.
constexpr int64_t measured_tiles = 16;
/// The number of such blocks for so many tiles.
constexpr int64_t measured_parts(int64_t tiles) {
    return (tiles + measured_tiles - 1) / measured_tiles;
}

struct TileNumbers {
    int64_t begin, end;
};

/// Adds channels of results that were just stored in y, channels last, to the statistics; their
/// blocks begin with `block`.
void add_statistics(const Sizes& sizes, TileNumbers tiles, int64_t block,
                    ColumnStatistics::Columns channels, const float* y,
                    ColumnStatistics& statistics);

}  // namespace catena::winograd
