#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// NumPy's matmul: matrices in the last two axes, the axes before them broadcast; a 1-D array is a
/// row (left) or a column (right) whose axis is removed from the result. transa and transb swap the
/// last two axes first (no effect on 1-D).
Variable matmul(const Operand& a, const Operand& b, bool transa = false, bool transb = false);

/// x W^T + b: the first `n_batch_axes` axes of x stay, the others are one feature axis. W is (out,
/// in); b is (out) or an undefined variable.
Variable linear(const Operand& x, const Operand& W, const Operand& b, int n_batch_axes = 1);
Variable linear(const Operand& x, const Operand& W);

}  // namespace catena
