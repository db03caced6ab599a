#pragma once

#include <cstdint>

namespace catena::caffe {

/// The number of pooling windows that Caffe places on an axis: rounded up or down, and none begins
/// behind the image. 0 or negative when none fits.
inline int64_t pooling_windows(int64_t size, int64_t kernel, int64_t stride, int64_t pad,
                               bool round_up) {
    const int64_t rest = size + 2 * pad - kernel;
    if (rest < 0) return 0;
    int64_t count = (rest + (round_up ? stride - 1 : 0)) / stride + 1;
    while (count > 1 && (count - 1) * stride >= size + pad) --count;
    return count;
}

}  // namespace catena::caffe
