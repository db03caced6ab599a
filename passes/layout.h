#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

#include "runtime/ops/declare/channels_last.h"

namespace catena::passes {

/// The pass catena-layout, by what the target says of calls.
std::unique_ptr<mlir::Pass> create_layout_pass(ChannelsLastRule rule);

}  // namespace catena::passes
