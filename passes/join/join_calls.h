#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mlir/Pass/Pass.h"

namespace catena::passes {

/// Makes the pass catena-join-calls; `notes`, if given, receives which calls were joined.
std::unique_ptr<mlir::Pass> create_join_calls_pass(std::vector<std::string>* notes = nullptr);

}  // namespace catena::passes
