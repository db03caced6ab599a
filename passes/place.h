#pragma once

#include <string>

#include "mlir/IR/Operation.h"

namespace catena::passes {

/// "relu (model.cpp:12)": the user's function and line of an operation.
std::string place_of(mlir::Operation* op);

}  // namespace catena::passes
