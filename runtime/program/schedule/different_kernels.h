#pragma once

#include "runtime/core/system/error.h"

namespace catena::program {

/// Schedules of one program at several sizes use different kernels, see check_same_kernels.
struct DifferentKernels : ValueError {
    using ValueError::ValueError;
};

}  // namespace catena::program
