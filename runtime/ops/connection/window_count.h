#pragma once

#include <cstdint>

namespace catena {

/// Number of windows of extent `kernel` on an axis of `size`; 0 when none fits.
int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t pad, bool cover_all,
                     int64_t dilate = 1);

}  // namespace catena
