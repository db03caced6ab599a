#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// p * v, and 0 where p is 0, whatever v is: what has no probability adds nothing to a sum, though
/// the logarithm of its own is -infinity. There the gradients are 0, too.
Variable weighted(const Operand& p, const Operand& v);

}  // namespace catena
