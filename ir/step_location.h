#pragma once

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Location.h"

namespace catena::ir {

/// The location of what step `number` of a recording was imported as. Passes keep locations, so
/// that programs know of each operation which steps it computes, or parts of which.
mlir::Location at_step(mlir::Location place, size_t number);

/// Adds the steps of a location, in its order.
void add_steps(mlir::Location location, llvm::SetVector<int>& steps);

}  // namespace catena::ir
