#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// Declares, beside the op's definition, that other processes wait for its calls: a program makes
/// the calls of all such ops in recorded order. Returns true.
bool set_is_message(const OpDef& op);
bool is_message(const OpDef& op);

}  // namespace catena
