#include "runtime/ops/connection/window_count.h"

#include <algorithm>

#include "runtime/core/system/error.h"

namespace catena {

int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t pad, bool cover_all,
                     int64_t dilate) {
    // Users' options were checked; attributes may come from a file, too.
    constexpr int64_t most = int64_t(1) << 46;
    CATENA_ASSERT(size <= int64_t(1) << 61 && kernel >= 0 && kernel <= most && stride >= 1 &&
                      stride <= most && pad >= 0 && pad <= most && dilate >= 1 &&
                      dilate <= (int64_t(1) << 62) / std::max<int64_t>(kernel, 1),
                  "windows step forwards, over sizes that exist");
    if (size < 0) return 0;
    int64_t room = size + 2 * pad - (kernel - 1) * dilate - 1;
    if (cover_all) room += stride - 1;
    return room < 0 ? 0 : room / stride + 1;
}

}  // namespace catena
