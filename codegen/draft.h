#pragma once

#include "codegen/kernel/plan.h"
#include "runtime/program/schedule.h"

namespace catena::codegen {

/// A schedule whose kernels have no code yet, and what each of them computes.
struct Draft {
    Schedule schedule;
    std::vector<Kernel> kernels;  ///< By kernel of the schedule, which has the same geometry.
};

}  // namespace catena::codegen
