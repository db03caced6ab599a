#pragma once

#include "codegen/draft.h"

namespace catena::codegen {

/// Orders kernels and calls (given in program order) into launches. Kernels whose results no launch reads run together:
/// last, or as soon as they free many bytes and may overwrite the states that they replace.
void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order, const StateResults& states);

}  // namespace catena::codegen
