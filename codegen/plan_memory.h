#pragma once

#include "codegen/draft.h"

namespace catena::codegen {

/// Gives every arena buffer an offset; buffers that live at the same time do not overlap. Outputs
/// of kernels overwrite inputs in place that are not read afterwards, if the kernel allows it.
void plan_memory(Draft& draft);

/// The last launch that can fail because of values of its inputs although all before it succeeded;
/// -1: none.
int last_check(const Schedule& schedule);

/// Lets the new content of a state overwrite the old if the old is not read afterwards and no later
/// launch can fail.
void plan_donations(Draft& draft, const StateResults& states);

}  // namespace catena::codegen
