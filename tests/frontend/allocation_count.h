#pragma once

#include <cstdint>

namespace catena::testing {

/// How often this thread has called operator new since the program began, without what oneDNN's own
/// code did; 0 under a sanitizer, whose own it stays.
int64_t allocation_count();
int64_t library_allocation_count();  ///< What oneDNN's own code did.

}  // namespace catena::testing
