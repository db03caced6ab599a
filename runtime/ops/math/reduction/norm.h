#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// sqrt(squares) with gradient 0 at 0: the length of a vector whose squared length is given, so
/// that the gradient towards a vector of zeros is zeros and not NaN.
Variable length_of(const Variable& squares);

/// The sum of the squares over all axes but the first: (N). Floats only. Chainer's function.
/// - x: (N, ...).
Variable batch_l2_norm_squared(const Operand& x);

}  // namespace catena
