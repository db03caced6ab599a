#pragma once

#include "tests/ops/op_table.h"

namespace catena::testing {

/// What compiled() makes of the row's function against the row's truth, in one dtype of each width.
void check_compiled(const Row& row);

}  // namespace catena::testing
