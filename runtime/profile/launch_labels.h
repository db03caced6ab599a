#pragma once

#include "runtime/profile/ceilings.h"
#include "runtime/profile/profiler.h"

namespace catena::profile {

/// keep() for the label of a launch, with what the launch has to do: a trace shows how much of the
/// machine that used. Labels that are equal but for this are two.
const Label* keep_launch(Label label, LaunchCost cost);
/// What the launch of a label has to do; null for other labels.
const LaunchCost* cost_of(const Label* label);

}  // namespace catena::profile
