#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// Defines the form of `convolution` that measures its result (runtime/ops/declare/measured.h).
/// Called once, beside the definition.
const OpDef& define_measured_convolution(const OpDef& convolution);

}  // namespace catena
