#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The kernel of reductions: combines input 0 over the attribute "axes" with `call.op.combine`.
/// float16 and bfloat16 accumulate in float32. The order of a sum is a fixed tree: the same bits on
/// any number of threads. maximum and minimum propagate NaN, and of no elements they are a
/// ValueError; the sum of none is 0, the product 1.
void run_reduce(const KernelCall& call);

}  // namespace catena
