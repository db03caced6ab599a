#pragma once

#include "mlir/IR/Block.h"

namespace catena::passes {

/// Replaces operations of a block that are equal to an earlier one.
void remove_common(mlir::Block& block);

}  // namespace catena::passes
