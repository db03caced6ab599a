#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// Blocks (runtime/ops/declare/block.h) of `tailed` convolutions: one, a depthwise and a 1x1 one.
const OpDef& define_convolution_block(const OpDef& tailed);

}  // namespace catena
