#pragma once

#include "runtime/cpu/softmax_kernel.h"
#include "runtime/ops/arithmetic.h"

namespace catena {

/// 16-bit floats as float32, others as they are: sums and squares leave the range of 16 bits where a mean or a
/// logarithm of them does not.
inline Variable widened(const Variable& x) { return cast(x, working_dtype(x.dtype())); }

}  // namespace catena
