#pragma once

#include "runtime/cuda/shared_library.h"

namespace catena::cuda {

/// A function that refuses a library made for a later major version of CUDA than the driver's.
/// `entry` is its size_t (*)() that gives the version: 13000.
SharedLibrary::Refusal later_than_driver(const char* entry);

}  // namespace catena::cuda
