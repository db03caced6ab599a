#pragma once

#include "runtime/core/system/error.h"

namespace catena::onnx {

/// The error for a valid model that needs something Catena lacks: an operator, a type, an
/// attribute's value.
struct UnsupportedError : Error {
    using Error::Error;
};

}  // namespace catena::onnx
