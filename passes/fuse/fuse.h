#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mlir/Pass/Pass.h"

namespace catena::passes {

/// Makes the pass catena-fuse; `notes`, if given, receives the reasons why neighbours were not
/// fused.
std::unique_ptr<mlir::Pass> create_fuse_pass(std::vector<std::string>* notes = nullptr);

}  // namespace catena::passes
