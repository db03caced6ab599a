#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The product p * v, but 0 where p is 0, whatever v is: a value without probability adds nothing
/// to a sum, even if its logarithm is -infinity. There the gradients are 0, too.
Variable weighted(const Operand& p, const Operand& v);

}  // namespace catena
