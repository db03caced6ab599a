#pragma once

#include <cstdint>

#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/product/line_walk.h"

namespace catena {

/// Columns of a tile of c are one to three vectors of `tile_lanes`.
constexpr int64_t tile_lanes = 16, most_tile_vectors = 3, most_tile_rows = 8;

/// What is best on an instruction set.
struct TileShape {
    int64_t rows, vectors;  ///< Of a tile: up to 24 sums in registers of AVX-512, 12 of AVX2;
                            ///< enough to start two multiply-adds in each cycle.
    int64_t longest;        ///< Block of k, so that a panel of so many vectors of b stays in the
                            ///< second-level cache, on AVX2 in the first.
    int64_t packed_rows;    ///< Of a transposed a: as much of them stays in the second-level cache.
};
inline TileShape tile_shape() {
    return has_avx512() ? TileShape{most_tile_rows, most_tile_vectors, 768, 512}
                        : TileShape{6, 1, 256, 288};
}

/// Columns of b where a tile reads them, 64-byte aligned. There is no panel without its distances.
struct TilePanel {
    TilePanel(float* columns, int64_t row_step, int64_t vector_step = tile_lanes)
        : columns(columns), row_step(row_step), vector_step(vector_step) {}

    float* columns;
    int64_t row_step, vector_step;  ///< From a row, and from a vector of a row, to the next.
};

/// What a tile of c [rows, vectors * tile_lanes] is computed from.
struct Tile {
    const float* a;  ///< Element (i, p) is a[i * a_row + p * a_step].
    int64_t a_row, a_step;
    TilePanel panel;
    int64_t k;
    const float* plus;  ///< Added, rows `plus_row` apart; null: nothing.
    int64_t plus_row;
    float* c;
    int64_t c_row;
    uint16_t last;  ///< Which lanes of the last vector are columns of c.
    /// A first tile fills the panel [k, vectors * tile_lanes] meanwhile, from rows `from_row`
    /// apart: the multiplications hide it.
    const float* from = nullptr;
    int64_t from_row = 0;
    /// Tiles of a first panel pack rows of a that stand beside each other, as [k, rows of a tile],
    /// in the same way; null: they do not.
    float* packed = nullptr;
    /// Of this so many lines are fetched into the second-level cache, one at a step.
    LineWalk* ahead = nullptr;
    int64_t lines_ahead = 0;
};

}  // namespace catena
