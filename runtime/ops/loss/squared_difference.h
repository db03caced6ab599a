#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// (x1 - x2)^2, elementwise: squared_error by its other name.
Variable squared_difference(const Operand& x1, const Operand& x2);

}  // namespace catena
