#pragma once

#include "runtime/core/dtype/working_dtype.h"
#include "runtime/graph/op/arithmetic.h"

namespace catena {

/// Converts 16-bit floats to float32: sums and squares overflow 16 bits even where their mean or
/// logarithm does not.
inline Variable widened(const Variable& x) { return cast(x, working_dtype(x.dtype())); }

}  // namespace catena
