#pragma once

#include <cstdint>

#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/product/tiles/line_walk.h"

namespace catena {

/// Width of a vector, and the most vectors and rows of a tile of c.
constexpr int64_t tile_lanes = 16, most_tile_vectors = 3, most_tile_rows = 8;

/// The best form of tiles on an instruction set.
struct TileShape {
    /// The rows and vectors of a tile: up to 24 sums in registers of AVX-512, 12 of AVX2; enough to
    /// start two multiply-adds in each cycle.
    int64_t rows, vectors;
    /// The length of a block of k, such that a panel of so many vectors of b stays in the
    /// second-level cache, on AVX2 in the first.
    int64_t longest;
    /// The number of rows of a transposed a that are packed at a time: they stay in the
    /// second-level cache.
    int64_t packed_rows;
};
inline TileShape tile_shape() {
    return has_avx512() ? TileShape{most_tile_rows, most_tile_vectors, 768, 512}
                        : TileShape{6, 1, 256, 288};
}

/// Columns of b where a tile reads them, 64-byte aligned, with their distances.
struct TilePanel {
    TilePanel(float* columns, int64_t row_step, int64_t vector_step = tile_lanes)
        : columns(columns), row_step(row_step), vector_step(vector_step) {}

    float* columns;
    /// Distances from a row to the next, and from a vector of a row to the next.
    int64_t row_step, vector_step;
};

/// The operands of a tile of c [rows, vectors * tile_lanes].
struct Tile {
    const float* a;  ///< Element (i, p) is a[i * a_row + p * a_step].
    int64_t a_row, a_step;
    TilePanel panel;
    int64_t k;
    const float* plus;  ///< The matrix that is added, its rows `plus_row` apart; null: nothing.
    int64_t plus_row;
    float* c;
    int64_t c_row;
    uint16_t last;  ///< A mask of the lanes of the last vector that are columns of c.
    /// If not null, rows of b, `from_row` apart, with which a first tile fills the panel [k,
    /// vectors * tile_lanes] while it multiplies.
    const float* from = nullptr;
    int64_t from_row = 0;
    /// If not null, memory [k, rows of a tile] into which tiles of a first panel pack interleaved
    /// rows of a while they multiply.
    float* packed = nullptr;
    /// The lines to prefetch into the second-level cache: `lines_ahead` of them, one at a step.
    LineWalk* ahead = nullptr;
    int64_t lines_ahead = 0;
};

}  // namespace catena
