#pragma once

#include <string>

#include "runtime/core/array/code_device.h"

namespace catena::profile {

// Each is the best of several runs on the device's clock, and 0 where the device cannot do it: no
// compiler, no library of products, no memory.

/// Bytes a second, read and written, of a kernel that copies up to `most_bytes`. Sizes grow until
/// a copy takes 20 ms; the largest counts, as smaller ones stay in caches.
double device_bandwidth(CodeDevice& device, size_t most_bytes = size_t(1) << 29);

/// Multiplications and additions a second in products of square matrices, up to 8192 by 8192 or
/// 20 ms; the fastest size counts. On a device by its library. `type`: "float32", "tf32",
/// "bfloat16", "float16", "float64".
double product_speed(Device& device, const std::string& type, int64_t most_rows = 8192);

/// Seconds of a launch of a kernel with next to nothing to do, one after another.
double launch_seconds(CodeDevice& device);
/// The seconds of a launch that is a node of one graph, each after the one before.
double node_seconds(CodeDevice& device);

}  // namespace catena::profile
