#pragma once

#include <string>

#include "mlir/IR/Operation.h"

namespace catena::passes {

/// The user's function that became this operation: "relu", "gradient of softmax_cross_entropy".
std::string function_of(mlir::Operation* op);

/// The user's function and line of an operation: "relu (model.cpp:12)".
std::string place_of(mlir::Operation* op);

}  // namespace catena::passes
