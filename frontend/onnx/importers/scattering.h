#pragma once

#include "frontend/onnx/importer.h"

namespace catena::onnx {

/// The vector x with `updates` written at `places`; if a place occurs several times, the last
/// update stays.
Variable with_last_updates(const Variable& x, const Variable& places, const Variable& updates);

}  // namespace catena::onnx
