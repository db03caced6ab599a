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

/// Computes the product in tiles (product_tiles.h) and gathers the statistics of c's columns, tile
/// by tile as it is stored. False, and nothing is done, if the processor has no tiles or the
/// product is too small for them. The bits do not depend on the number of threads.
bool multiply_and_measure(const MeasuredProduct& product, ColumnStatistics& statistics);

}  // namespace catena
