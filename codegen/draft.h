#pragma once

#include <utility>
#include <vector>

#include "codegen/kernel/plan.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::codegen {

/// A schedule whose kernels have no code yet, and what each of them computes.
struct Draft {
    Schedule schedule;
    /// The kernels in the order of the schedule's, with the same geometries.
    std::vector<Kernel> kernels;
};

/// A result and the state (an input) whose content it replaces.
using StateResults = std::vector<std::pair<int, int>>;

}  // namespace catena::codegen
