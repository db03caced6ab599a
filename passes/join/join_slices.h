#pragma once

#include <string>
#include <vector>

#include "mlir/IR/Block.h"

namespace catena::passes {

/// Replaces a sum of gradients of slices, each placed among zeros, by the concatenation of the
/// slices, which is placed once if it is not the whole. Otherwise a loop over time steps would
/// write and add up as many arrays of all steps as there are steps. Exact, except that -0 + 0 is 0
/// and a slice's -0 stays. Returns a note for each.
std::vector<std::string> join_slices(mlir::Block& block);

}  // namespace catena::passes
