#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// Ops along the lines of attribute "axis".

/// The kernel of argmax and argmin: int32 index of the first largest (smallest) element; a NaN
/// beats every number.
void run_argmax(const KernelCall& call);
void run_argmin(const KernelCall& call);
/// The kernel of argsort: int32 indices in ascending order of the elements; equal ones keep their
/// order, NaN come last.
void run_argsort(const KernelCall& call);
/// The kernel of argsort_first: the first indices of the order, as many as the result has along the
/// axis. When "largest", the order is descending and NaN come first.
void run_argsort_first(const KernelCall& call);
/// The kernel of cumsum: running sums, from the end when "reverse". 16-bit floats are summed in
/// float32.
void run_cumsum(const KernelCall& call);

}  // namespace catena
