#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// Registers a map (an elementwise op). If it has no kernel of its own, the host interprets its
/// formula (runtime/cpu/blocks/map_kernel.h).
const OpDef& register_map(OpDef op);

}  // namespace catena
