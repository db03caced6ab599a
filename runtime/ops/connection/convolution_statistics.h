#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// Defines the form of `convolution` that measures its result (runtime/ops/declare/measured.h).
const OpDef& define_measured_convolution(const OpDef& convolution);
/// Whether it pays for a call of that convolution, by types.
bool measuring_pays(const TypeCall& call);

}  // namespace catena
