#pragma once

#include "runtime/cpu/recurrent/recurrent_cells.h"
#include "runtime/ops/declare/device_form.h"

namespace catena {

/// A recurrent layer and its gradient as element texts: one thread computes a sequence after the
/// other, many compute a step of all units at each launch. The gradients of R and b are sums over
/// all rows. The arrays are those of runtime/ops/rnn/recurrent_layer.cpp.
ElementProgram recurrent_elements(RecurrentCell cell, const KernelCall& call, Threads threads);
ElementProgram recurrent_gradient_elements(RecurrentCell cell, const KernelCall& call,
                                           Threads threads);

}  // namespace catena
