#pragma once

#include "frontend/onnx/importer.h"

namespace catena::onnx {

/// The vector x with `updates` at `places`, of which the last of equal ones stays.
Variable with_last_updates(const Variable& x, const Variable& places, const Variable& updates);

}  // namespace catena::onnx
