#pragma once

#include <cstdint>

#include "runtime/core/array/shape.h"

namespace catena {

// Tiles (runtime/cpu/product/tiles/product_tiles.h) copy b for c = a b, and turn it for c = a b^T,
// at each product; the latter is a twentieth of the time of 256 rows. A matrix that is kept
// (runtime/cpu/product/kept/kept_matrix.h) is copied once; the bits are the same.

/// Whether caching the columns pays for [m, k] times [k, n], or, if `transb`, [n, k], and these are
/// products in tiles.
bool are_kept_columns_faster(bool transb, int64_t m, int64_t n, int64_t k);

/// The shape of the cached form of n columns: [columns / 16, k, 16], with zeros beyond the last.
Shape kept_columns_shape(int64_t n, int64_t k);
/// Makes the cached form from b [n, k].
void turn_into_columns(const float* b, int64_t n, int64_t k, float* kept);
/// Makes the cached form from b [k, n].
void copy_into_columns(const float* b, int64_t n, int64_t k, float* kept);

}  // namespace catena
