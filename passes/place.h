#pragma once

#include <string>

#include "mlir/IR/Operation.h"

namespace catena::passes {

/// "relu (model.cpp:12)": the function that an operation stands for, and the user's line.
std::string place_of(mlir::Operation* op);

}  // namespace catena::passes
