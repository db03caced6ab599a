#pragma once

#include <cstdint>

#include "mlir/IR/Value.h"

namespace catena::passes {

/// Bytes of a tensor's elements as stored.
int64_t bytes_of(mlir::Value tensor);

}  // namespace catena::passes
