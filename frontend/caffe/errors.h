#pragma once

#include "runtime/core/system/error.h"

namespace catena::caffe {

/// A valid file, or a model, that needs something that Catena or Caffe lacks.
struct UnsupportedError : Error {
    using Error::Error;
};

}  // namespace catena::caffe
