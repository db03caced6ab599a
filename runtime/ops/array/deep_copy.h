#pragma once

#include "runtime/graph/variable/variable.h"

namespace catena {

/// A new leaf with elements, gradient and name of its own; for a State, another state. ValueError
/// for a variable that was computed: its graph cannot be copied (x.detach() has none).
Variable deep_copy(const Variable& x,
                   const std::source_location& at = std::source_location::current());

}  // namespace catena
