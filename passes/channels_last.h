#pragma once

#include "mlir/IR/Value.h"

namespace catena::passes {

/// Whether the pass catena-layout had a group's or library call's result stored with its channels
/// last.
bool is_channels_last(mlir::OpResult result);
void set_channels_last(llvm::ArrayRef<mlir::OpResult> results);  ///< Of one operation.

}  // namespace catena::passes
