#pragma once

#include "runtime/ops/op.h"

namespace catena {

/// Registers an op whose meaning is `op.body`. Without a gradient of its own it gets that of its
/// body: good for the gradients of gradients, which nobody runs often.
const OpDef& define_composite(OpDef op);

/// The op's body differentiated at the inputs of the call.
Variables gradient_of_body(const OpDef& op, const GradientCall& call);

}  // namespace catena
