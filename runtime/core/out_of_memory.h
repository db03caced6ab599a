#pragma once

#include "runtime/core/error.h"

namespace catena {

/// A failed allocation. Callers that know its purpose catch it and throw a more specific one.
struct OutOfMemory : DeviceError {
    /// "WHO: out of memory: ...". `asked` 0: unknown size.
    OutOfMemory(const std::string& who, size_t asked, size_t held);
    size_t bytes, held;
};

}  // namespace catena
