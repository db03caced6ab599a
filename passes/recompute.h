#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mlir/Pass/Pass.h"

namespace catena::passes {

/// Makes the pass catena-recompute; `notes`, if given, receives which values are computed again
/// instead of being stored.
std::unique_ptr<mlir::Pass> create_recompute_pass(std::vector<std::string>* notes = nullptr);

}  // namespace catena::passes
