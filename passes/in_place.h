#pragma once

#include "passes/liveness.h"

namespace catena::passes {

/// For each result of `op` the number of the operand whose memory it may take, or -1. That operand has the
/// result's type, is read for the last time here, through this operand only, and at no later time than the result
/// is written at the same index. Besides temporaries, a state qualifies for the value that is assigned to it.
llvm::SmallVector<int64_t> in_place_operands(mlir::Operation* op, const Liveness& liveness);

}  // namespace catena::passes
