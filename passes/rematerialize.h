#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mlir/Pass/Pass.h"

namespace catena::passes {

/// The pass catena-rematerialize with a budget in bytes; `notes`, if given, receives what it costs, and what other budgets would.
std::unique_ptr<mlir::Pass> create_rematerialize_pass(int64_t budget, std::vector<std::string>* notes = nullptr);

}  // namespace catena::passes
