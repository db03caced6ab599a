#pragma once

#include <string>
#include <vector>

#include "benchmarks/workloads/workload.h"
#include "runtime/core/array/device.h"

namespace catena::testing {

using Results = std::vector<std::vector<double>>;

/// What iterations of a workload leave, on the host; of one that amplifies rounding, the losses of
/// the first two. Sizes are divided by `divisor`.
Results workload_results(Device& device, const tool::Workload& workload, tool::Variant variant,
                         int64_t divisor, int iterations = 3);

/// What is wrong with `actual` where `expected` is right after three iterations, and was `before`
/// after one; "" when sums in another order explain it.
///
/// Rounding moves results by little against the largest of their array, 2e-5 of it. Not so the
/// parameters of rules that divide by the gradient's size, as Adam does: where the gradient is next
/// to nothing its sign is rounding's, and the step is as long as any other, alpha. Two runs then go
/// apart by 2 alpha in a step; in three steps, of which the last two have moved some element of the
/// array by w, by 2 * 3/2 w. Few elements can be such: with gradients spread by s around 0 and
/// rounded by r = 1e-5 s, a step differs by more than 1/300 of alpha, which is 2e-5 of parameters
/// of 0.2 at alpha = 0.001, where the gradient is below 300 r: in 1 of 400. One in 100 may.
std::string unexplained_difference(const Results& before, const Results& expected,
                                   const Results& actual);

/// The device's against the host's.
void expect_workload_of_host(Device& device, const tool::Workload& workload, tool::Variant variant,
                             int64_t divisor);

}  // namespace catena::testing
