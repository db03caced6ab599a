#pragma once

#include <cstdint>

namespace catena::testing {

/// How often this thread has called operator new since the program began; 0 under a sanitizer, whose own it stays.
int64_t allocation_count();

}  // namespace catena::testing
