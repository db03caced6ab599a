#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// (x1 - x2)^2, elementwise, of floats of one shape and dtype: ChainerX's name of squared_error.
Variable squared_difference(const Operand& x1, const Operand& x2);

}  // namespace catena
