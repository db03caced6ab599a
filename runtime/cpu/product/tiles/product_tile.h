#pragma once

#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/product/tiles/product_tile_avx2.h"
#include "runtime/cpu/product/tiles/product_tile_avx512.h"

#if defined(__x86_64__)

namespace catena {

/// Computes a tile of 1 to tile_shape().rows rows. The bits are equal with AVX2 and AVX-512.
template <int vectors>
void compute_rows(const Tile& t, int64_t rows) {
    has_avx512() ? avx512::compute_rows<vectors>(t, rows) : avx2::compute_rows<vectors>(t, rows);
}

}  // namespace catena

#endif
