#pragma once

#include "runtime/cpu/recurrent_cells.h"
#include "runtime/ops/declare/element_text.h"

namespace catena {

/// A recurrent layer and its gradient as element texts: a thread computes all steps of a sequence, and the gradients of R and b are
/// sums over all rows. The arrays are those of runtime/ops/rnn/recurrent_layer.cpp.
ElementProgram recurrent_elements(RecurrentCell cell, const KernelCall& call);
ElementProgram recurrent_gradient_elements(RecurrentCell cell, const KernelCall& call);

}  // namespace catena
