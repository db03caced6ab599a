#pragma once

#include "mlir/IR/Value.h"

namespace catena::passes {

/// Whether the pass catena-layout has made a group or library call store this result with its
/// channels last.
bool is_channels_last(mlir::OpResult result);
/// Marks these results of one operation as stored with their channels last.
void set_channels_last(llvm::ArrayRef<mlir::OpResult> results);

}  // namespace catena::passes
