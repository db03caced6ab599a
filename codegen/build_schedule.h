#pragma once

#include "mlir/IR/BuiltinOps.h"

#include "codegen/draft.h"
#include "runtime/graph/trace.h"

namespace catena::codegen {

/// The program after all passes, planned for a target with this rule. The trace says in which order
/// results are returned.
Draft build_schedule(mlir::ModuleOp module, const Trace& trace, const SplitRule& rule,
                     bool fast_math);

}  // namespace catena::codegen
