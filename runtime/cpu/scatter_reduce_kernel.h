#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

enum class ScatterReduction { maximum, minimum, product };

/// The kernel of scatter_maximum and its like. Inputs are a, b and the places in a of b's elements,
/// all vectors, which are combined in the order of b: the same bits on any number of threads.
/// ValueError with the op's name for a place outside of a; nothing is written before all are known
/// to be valid.
void run_scatter_reduce(const KernelCall& call, ScatterReduction reduction);

}  // namespace catena
