#pragma once

#include "runtime/cpu/product/tiles/product_tiles.h"

namespace catena {

/// Whether calling a library would cost more than computing the product, and it is stored as the
/// loops of multiply_small() read it. Pointers do not matter, except that `plus` must be null or c.
bool is_small_product(const TileProduct& product);

/// Computes the product on the calling thread, without packing anything, for sizes with
/// is_small_product().
void multiply_small(const TileProduct& product);

}  // namespace catena
