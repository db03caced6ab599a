#pragma once

#include <string>

#include "mlir/IR/Operation.h"

namespace catena::passes {

/// What the user called that became this operation: "relu", "gradient of softmax_cross_entropy".
std::string function_of(mlir::Operation* op);

/// "relu (model.cpp:12)": the user's function and line of an operation.
std::string place_of(mlir::Operation* op);

}  // namespace catena::passes
