#pragma once

#include "tests/ops/op_table.h"

namespace catena::testing {

/// With each size of the row's inputs replaced by 0 in turn: a composite's kernel and its body,
/// recorded or compiled, give the same, NaN included, or all throw a catena::Error. So do their
/// gradients.
void check_empty(const Row& row);

}  // namespace catena::testing
