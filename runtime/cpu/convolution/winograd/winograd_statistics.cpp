#include "runtime/cpu/convolution/winograd/winograd_statistics.h"

namespace catena::winograd {

void add_statistics(const Sizes& sizes, TileNumbers tiles, int64_t block,
                    ColumnStatistics::Columns channels, const float* y,
                    ColumnStatistics& statistics) {
    for (int64_t t = tiles.begin; t < tiles.end; ++t) {
        const Tile tile = sizes.result(t);
        const int64_t number = t - tiles.begin;
        statistics.add(block + number / measured_tiles,
                       {y + tile.first + channels.begin, tile.columns, tile.column_step, tile.rows,
                        tile.row_step},
                       channels, number % measured_tiles == 0);
    }
}

}  // namespace catena::winograd
