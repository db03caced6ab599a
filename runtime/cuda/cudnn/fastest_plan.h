#pragma once

#include <functional>
#include <span>

#include "runtime/core/array/code_device.h"
#include "runtime/cuda/cudnn/cudnn_plan.h"

#ifdef CATENA_HAS_CUDNN

namespace catena::cuda {

/// The index of the plan that takes the least time on the device. Each plan is executed once to
/// warm up, then three times, of which the least time counts. A plan that cuDNN refuses to execute
/// is chosen only if all are refused. CudnnError.
size_t fastest_plan(CodeDevice& device, std::span<const Plan> plans,
                    const std::function<void(const Plan&)>& execute);

}  // namespace catena::cuda

#endif
