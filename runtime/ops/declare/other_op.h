#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// How an op's declaration names another op: by a function, which is called when both are defined.
/// The other one's definition mostly refers to this one's.
using OtherOp = const OpDef& (*)();

}  // namespace catena
