#pragma once

#include "runtime/graph/op.h"

namespace catena {

enum class ScatterReduction { maximum, minimum, product };

/// Inputs are a, b and the places in a of b's elements, all vectors. They are combined in the order
/// of b: the same bits on any number of threads. ValueError with the op's name for a place outside
/// of a; nothing is written before all are known to be inside.
void run_scatter_reduce(const KernelCall& call, ScatterReduction reduction);

}  // namespace catena
