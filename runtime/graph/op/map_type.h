#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The default type rule of maps: shapes broadcast (map_c1), the dtype is the inputs' promoted
/// one, which must be a float where the op says so (map_c2); comparisons give bool.
Type map_type(const OpDef& op, std::span<const Type> inputs);
Type map_type(const OpDef& op, std::span<const Variable* const> inputs);

}  // namespace catena
