#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// The tailed form (runtime/ops/declare/tail.h) of `convolution`, which takes x and W; attributes are its own and the tail's.
const OpDef& define_tailed_convolution(const OpDef& convolution);

}  // namespace catena
