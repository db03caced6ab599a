#pragma once

#include <string>
#include <vector>

#include "mlir/IR/Block.h"

namespace catena::passes {

/// The gradient of an embedding is zeros but for the rows that were read. Where the same weights
/// are used by a product, too, as in a language model whose output is tied, such an array was
/// filled with zeros, scattered into, and added to the product's gradient. Here it is scattered
/// onto that gradient (runtime/ops/declare/onto.h), in its memory where nothing else reads it. Done
/// for terms of a sum that calls make for the sum alone. A place that is named several times is
/// rounded in another order then, still that of the indices. Returns a note for each.
std::vector<std::string> join_scattered(mlir::Block& block);

}  // namespace catena::passes
