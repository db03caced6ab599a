#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// Other processes wait for the op's calls: a program makes the calls of all such ops in recorded
/// order.
Declaration awaited_by_others();
bool is_message(const OpDef& op);

}  // namespace catena
