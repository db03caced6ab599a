#pragma once

#include "runtime/cpu/product/product_tiles.h"

namespace catena {

/// Whether the product costs a library more to begin than to compute, and is stored as the loops of
/// multiply_small() read it. Pointers do not matter, but that `plus` is null or c.
bool is_small_product(const TileProduct& product);

/// Computes it on the calling thread, without packing anything. Sizes for which is_small_product().
void multiply_small(const TileProduct& product);

}  // namespace catena
