#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The form (runtime/ops/declare/onto.h) of `scatter_add` that adds to an array instead of zeros:
/// operands are the array, what is added, and the index arrays; attributes are those of
/// scatter_add.
const OpDef& define_scatter_onto(const OpDef& scatter_add);

}  // namespace catena
