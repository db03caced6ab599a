#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The product of matrices in the last two axes; the axes before them broadcast. An array of one
/// axis is a row (left) or a column (right), and its axis is dropped from the result. NumPy's
/// matmul; for floats and integers, whose dtypes are promoted. ShapeError where sizes do not agree
/// or an array has no axis.
/// - a: (..., n, k), or (k).
/// - b: (..., k, m), or (k).
/// - transa: Swap the last two axes of a first; without effect on one axis.
/// - transb: Swap the last two axes of b first; without effect on one axis.
Variable matmul(const Operand& a, const Operand& b, bool transa = false, bool transb = false);

/// x W^T + b, a fully connected layer: the first `n_batch_axes` axes of x stay, the others are one
/// axis of K features. The result is (..., M). Dtypes are promoted. ShapeError where x has not K
/// features or fewer than two axes.
/// - x: (N, ...); the axes after the batch axes hold K elements.
/// - W: (M, K).
/// - b: (M).
/// - n_batch_axes: How many first axes number samples: 1 to the number of axes less one.
Variable linear(const Operand& x, const Operand& W, const Operand& b, int n_batch_axes = 1);
Variable linear(const Operand& x, const Operand& W);

}  // namespace catena
