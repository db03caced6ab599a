#pragma once

#include "runtime/graph/op.h"

namespace catena {

// Ops along the lines of attribute "axis".

/// int32 index of the first largest (smallest) element; a NaN beats every number.
void run_argmax(const KernelCall& call);
void run_argmin(const KernelCall& call);
/// int32 indices in ascending order of the elements; equal ones keep their order, NaN come last.
void run_argsort(const KernelCall& call);
/// Its first elements only, as many as the result has of the axis; when "largest", of the
/// descending order: NaN come first then.
void run_argsort_first(const KernelCall& call);
/// Running sums, from the end when "reverse". 16-bit floats are summed in float32.
void run_cumsum(const KernelCall& call);

}  // namespace catena
