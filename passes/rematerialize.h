#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mlir/Pass/Pass.h"

namespace catena::passes {

/// The size, in bytes, from which on programs without a budget save memory: less is small beside a
/// process and its libraries.
constexpr int64_t saves_memory_from = int64_t(256) << 20;

/// Makes the pass catena-rematerialize with a budget in bytes, or 0; `notes`, if given, receives
/// what it costs, and what other budgets would.
std::unique_ptr<mlir::Pass> create_rematerialize_pass(int64_t budget,
                                                      std::vector<std::string>* notes = nullptr);

}  // namespace catena::passes
