#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

#include "runtime/ops/declare/channels_last.h"

namespace catena::passes {

/// Makes the pass catena-layout, which decides about library calls by the target's rule.
std::unique_ptr<mlir::Pass> create_layout_pass(ChannelsLastRule rule);

}  // namespace catena::passes
