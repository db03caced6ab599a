#pragma once

#include <string>
#include <vector>

#include "mlir/IR/Block.h"

namespace catena::passes {

/// Adds the gradient of an embedding directly to another gradient of the same weights. This
/// gradient is zero except for the rows that were read. If a product uses the weights, too, as in a
/// language model whose output is tied, the array would be filled with zeros, scattered into, and
/// added to the product's gradient. Instead it is scattered onto that gradient
/// (runtime/ops/declare/onto.h), in its memory where nothing else reads it. This is done for terms
/// of a sum that calls make for the sum alone. It changes the order of rounding for a place that is
/// named several times, which is still that of the indices. Returns a note for each.
std::vector<std::string> join_scattered(mlir::Block& block);

}  // namespace catena::passes
