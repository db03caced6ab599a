#pragma once

#include <span>

#include "runtime/graph/op/op.h"

namespace catena {

/// Throws, in debug mode, a ValueError when an output of `op` on the host has a NaN. The check is
/// not recorded.
void check_nan(const OpDef& op, std::span<const Array> outputs);

}  // namespace catena
