#pragma once

#include "runtime/core/system/error.h"

namespace catena::caffe {

/// The error for a valid file, or a model, that needs something that Catena or Caffe lacks.
struct UnsupportedError : Error {
    using Error::Error;
};

}  // namespace catena::caffe
