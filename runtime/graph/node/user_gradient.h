#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// Declares that the gradient of `op` is the user's own code. It may read values, count its calls
/// or decide anew each time, so every backward runs it: a static region never replaces it by a
/// recording.
void set_user_gradient(const OpDef& op);
bool has_user_gradient(const OpDef& op);

}  // namespace catena
