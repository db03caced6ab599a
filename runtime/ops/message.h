#pragma once

#include "runtime/ops/op.h"

namespace catena {

/// Said once, beside the op's definition: other processes wait for its calls, so a program makes those of all such ops
/// in the order in which they were recorded. Returns true.
bool set_is_message(const OpDef& op);
bool is_message(const OpDef& op);

}  // namespace catena
