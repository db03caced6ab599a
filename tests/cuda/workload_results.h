#pragma once

#include <vector>

#include "frontend/tools/catena/workload.h"
#include "runtime/core/device.h"

namespace catena::testing {

/// What three iterations of a workload leave, on the host; of one that amplifies rounding, the losses of the first two.
/// Sizes are divided by `divisor`.
std::vector<std::vector<double>> workload_results(Device& device, const tool::Workload& workload, tool::Variant variant,
                                                  int64_t divisor);
/// The device's against the host's: the largest of an array gives the scale of its errors.
void expect_workload_of_host(Device& device, const tool::Workload& workload, tool::Variant variant, int64_t divisor);

}  // namespace catena::testing
