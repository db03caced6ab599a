#pragma once

#include <vector>

#include "mlir/IR/Operation.h"

#include "runtime/program/schedule/schedule.h"

namespace catena::codegen {

/// The user's line that an operation comes from.
SourceLoc source_of(mlir::Location location);

/// The user's operations that a group, or a single operation, computes; each once.
std::vector<program::Operation> operations_of(mlir::Operation& op);

/// The steps of the recording that an operation computes.
std::vector<int> steps_of(mlir::Operation& op);

}  // namespace catena::codegen
