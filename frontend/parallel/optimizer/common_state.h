#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/optimizer/optimizer.h"
#include "frontend/parallel/optimizer/multi_node_optimizer_options.h"

// What the ranks of a multi-node optimizer must have in common.
namespace catena {

/// Kind of optimizer, its options, hyperparameters and parameters (with hooks of their own), a line
/// each, and the settings that change an update's results.
std::vector<std::string> description_of(Optimizer& optimizer,
                                        const MultiNodeOptimizerOptions& options);

/// Which parameters are initialised, and their types; never 0.
uint64_t model_of(Optimizer& optimizer);

/// A checksum of the contents of all that an update reads and changes.
uint64_t content_of(Optimizer& optimizer);

/// The checksums of the parameters, a line each.
std::vector<std::string> checksums_of(Optimizer& optimizer);

}  // namespace catena
