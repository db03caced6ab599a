#pragma once

#include <string>

namespace catena::tool {

/// Measures what a device can do at most, keeps it for the shares in profiles, and prints it: a
/// table, or JSON lines {"peer":"catena-ceiling","workload":"large product","precision":"tf32",...}
/// with "tflops", "gbytes_per_s" or "ms". DeviceError for a device that is not there.
void print_ceilings(const std::string& device, bool json);

}  // namespace catena::tool
