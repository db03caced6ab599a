#pragma once

#include "runtime/core/error.h"

namespace catena {

/// Memory that was refused. Whoever knows for what it was wanted catches it and says so in another.
struct OutOfMemory : DeviceError {
    /// "WHO: out of memory: ...". 0 bytes: nobody said how many.
    OutOfMemory(const std::string& who, size_t asked, size_t held);
    size_t bytes, held;
};

}  // namespace catena
