#pragma once

#include "mlir/IR/BuiltinOps.h"

#include "codegen/draft.h"
#include "runtime/graph/trace/trace.h"

namespace catena::codegen {

/// Plans the program after all passes as a draft of a schedule, for a target with this rule for
/// splitting reductions. The trace says in which order results are returned.
Draft build_schedule(mlir::ModuleOp module, const Trace& trace, const SplitRule& rule,
                     bool fast_math);

}  // namespace catena::codegen
