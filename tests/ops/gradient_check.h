#pragma once

#include "tests/ops/op_table.h"

namespace catena::testing {

/// Gradients of sum(y * gy) in float64 against central differences along random directions, and
/// those of narrower dtypes against float64. The row must say whether there are any.
void check_gradient(const Row& row);
/// Gradients of sum(gx * ggx) towards the inputs and gy against central differences of plain
/// gradients; the differentiable gradients against the plain ones.
void check_double_gradient(const Row& row);
/// Gradients of a compiled forward and backward against eager ones, in float32.
void check_compiled_gradient(const Row& row);

}  // namespace catena::testing
