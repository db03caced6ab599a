#pragma once

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Location.h"

namespace catena::ir {

/// A location for the operations that step `number` of a recording is imported as. Passes keep
/// locations, so a program can tell which steps, or parts of steps, each operation computes.
mlir::Location at_step(mlir::Location place, size_t number);

/// Adds the numbers of the steps in a location to `steps`, in order.
void add_steps(mlir::Location location, llvm::SetVector<int>& steps);

}  // namespace catena::ir
