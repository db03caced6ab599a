#pragma once

#include <span>

#include "runtime/core/array/shape.h"
#include "runtime/core/dtype/dtype.h"
#include "runtime/graph/op/op.h"

namespace catena {

/// Runs `call.op.formula` at every index of the outputs' shape; inputs broadcast, and have any
/// dtype and strides.
void run_map(const KernelCall& call);

/// The type that a map is computed in, for eager kernels and compiled code alike: that of the
/// promoted inputs; of the outputs where there are no inputs, or where integers go in and floats
/// come out.
Dtype map_compute_dtype(std::span<const Type> inputs, std::span<const Type> outputs);

}  // namespace catena
