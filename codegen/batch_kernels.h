#pragma once

#include "codegen/draft.h"

namespace catena::codegen {

/// Orders kernels and library calls (given in program order) into launches, behind those that the
/// schedule has. Kernels whose results no launch reads run together: last, or as soon as they free
/// many bytes and may overwrite the states that they replace. `later` are launches of a further
/// call, which read results, too.
void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order,
                   const StateResults& states, const std::vector<Launch>& later = {});

}  // namespace catena::codegen
