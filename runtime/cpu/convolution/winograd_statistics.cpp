#include "runtime/cpu/convolution/winograd_statistics.h"

namespace catena::winograd {

void add_statistics(const Sizes& sizes, TileNumbers tiles, int64_t block, ColumnStatistics::Columns channels, const float* y, ColumnStatistics& statistics) {
    for (int64_t t = tiles.begin; t < tiles.end; ++t) {
        const Tile tile = sizes.result(t);
        const int64_t number = t - tiles.begin;
        const float* line = y + tile.first + channels.begin;
        for (int64_t row = 0; row < tile.rows; ++row, line += tile.row_step)
            statistics.add(block + number / measured_tiles, {line, tile.columns, tile.column_step}, channels, number % measured_tiles == 0 && row == 0);
    }
}

}  // namespace catena::winograd
