#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// Registers an op defined by `op.body`. Without a gradient it gets that of its body: sufficient
/// for the rarely used gradients of gradients.
const OpDef& define_composite(OpDef op);

/// The bits of all `count` inputs, for Reads::inputs.
constexpr uint64_t first_inputs(int count) {
    return count < 64 ? (uint64_t(1) << count) - 1 : ~uint64_t(0);
}

/// Gradients of a composite, by differentiating its body at the inputs of the call.
Variables gradient_of_body(const OpDef& op, const GradientCall& call);

}  // namespace catena
