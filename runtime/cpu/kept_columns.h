#pragma once

#include <cstdint>

#include "runtime/core/array.h"

namespace catena {

/// The columns of b^T for products in tiles (runtime/cpu/product_tiles.h) with `m` rows: [columns / 16, k, 16], zeros beyond the last. b [n, k] is
/// float32, without gaps. Tiles turn b at each product, which is a twentieth of the time of 256 rows; b that is read again and again
/// without a change, as weights are in inference, is turned once (runtime/cpu/packed.h). Undefined where that does not pay, or not yet. The bits
/// are the same.
Array kept_columns(const Array& b, int64_t m, int64_t n, int64_t k);

}  // namespace catena
