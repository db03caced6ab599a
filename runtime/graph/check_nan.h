#pragma once

#include <span>

#include "runtime/graph/op.h"

namespace catena {

/// Debug mode: ValueError when an output of `op` on the host has a NaN. Not recorded.
void check_nan(const OpDef& op, std::span<const Array> outputs);

}  // namespace catena
