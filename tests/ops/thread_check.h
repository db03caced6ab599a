#pragma once

#include "tests/ops/op_table.h"

namespace catena::testing {

/// The row's function and its gradients on inputs enlarged until several threads share them (every
/// size above 1 times the same factor): the same bits on 1, 2, 3 and 5 threads. Gives false, having
/// checked nothing, where the function takes no larger inputs.
bool check_thread_counts(const Row& row);

}  // namespace catena::testing
