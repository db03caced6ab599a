#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// Defines the op for blocks (runtime/ops/declare/block.h) of three `tailed` convolutions: any, a
/// depthwise and a 1x1 one.
const OpDef& define_convolution_block(const OpDef& tailed);

}  // namespace catena
