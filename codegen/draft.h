#pragma once

#include <utility>
#include <vector>

#include "codegen/kernel/plan.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::codegen {

/// A schedule whose kernels have no code yet, and what each of them computes.
struct Draft {
    Schedule schedule;
    std::vector<Kernel> kernels;  ///< By kernel of the schedule, which has the same geometry.
};

/// A result and the state (an input) whose content it replaces.
using StateResults = std::vector<std::pair<int, int>>;

}  // namespace catena::codegen
