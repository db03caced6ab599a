#pragma once

#include "runtime/core/error.h"

namespace catena::onnx {

/// A model that is right, but needs what Catena does not have: an operator, a type, an attribute's
/// value.
struct UnsupportedError : Error {
    using Error::Error;
};

}  // namespace catena::onnx
