#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// The gradient of `op` is code of the user's own. It may read values, count its calls or decide
/// anew at each, so every backward runs it: a static region does not replace it by what one call of
/// it recorded.
void set_user_gradient(const OpDef& op);
bool has_user_gradient(const OpDef& op);

}  // namespace catena
