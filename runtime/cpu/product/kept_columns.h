#pragma once

#include <cstdint>

#include "runtime/core/shape.h"

namespace catena {

// Tiles (runtime/cpu/product/product_tiles.h) turn b for c = a b^T at each product, which is a twentieth of the time of 256 rows. A matrix that is kept
// (runtime/cpu/product/kept_matrix.h) is turned once; the bits are the same.

/// Whether that pays for [m, k] times [n, k], and these are products in tiles.
bool are_kept_columns_faster(int64_t m, int64_t n, int64_t k);

/// What is kept of b [n, k]: its columns, [columns / 16, k, 16], with zeros beyond the last.
Shape kept_columns_shape(int64_t n, int64_t k);
void turn_into_columns(const float* b, int64_t n, int64_t k, float* kept);

}  // namespace catena
