#pragma once

#include <cstdint>

#include "runtime/cpu/column_statistics.h"

namespace catena {

/// The operands of row-major c = a b^T in float32, without gaps: a is m x k, b is n x k.
struct MeasuredProduct {
    int64_t m, n, k;
    const float *a, *b;
    float* c;
};

/// Whether the processor computes any such product in tiles. False with AVX2, where oneDNN and a
/// pass over its result are faster.
bool has_measured_products();

/// Whether such a product is computed in tiles: else it is too small for them, or the processor has
/// none. Sizes alone decide.
bool is_measured_in_tiles(const MeasuredProduct& product);

/// Computes the product in tiles (product_tiles.h) and gathers the statistics of c's columns, tile
/// by tile as it is stored. False, and nothing is done, unless
/// is_measured_in_tiles(). The bits do not depend on the number of threads.
bool multiply_and_measure(const MeasuredProduct& product, ColumnStatistics& statistics);

}  // namespace catena
