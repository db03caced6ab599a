#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// register_op for a map: without a kernel of its own, the host interprets its formula
/// (runtime/cpu/map_kernel.h).
const OpDef& register_map(OpDef op);

}  // namespace catena
