#pragma once

#include "mlir/IR/Block.h"

namespace catena::passes {

/// Replaces operations of a block that compute what an earlier one has computed.
void remove_common(mlir::Block& block);

}  // namespace catena::passes
