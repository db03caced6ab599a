#pragma once

#include "codegen/draft.h"

namespace catena::codegen {

/// Orders kernels and calls (given in program order) into launches. Kernels whose results no launch
/// reads run together: last, or as soon as they free many bytes and may overwrite the states that
/// they replace. Behind the launches that the schedule has; `later` are read as well, but come in a
/// further call.
void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order,
                   const StateResults& states, const std::vector<Launch>& later = {});

}  // namespace catena::codegen
