#pragma once

#include "mlir/IR/BuiltinOps.h"

#include "codegen/schedule.h"
#include "runtime/graph/trace.h"

namespace catena::codegen {

/// The program after all passes as a schedule whose kernels are not compiled yet. The trace says in
/// which order results are returned, `rule` when the target wants reductions cut.
Schedule build_schedule(mlir::ModuleOp module, const Trace& trace, bool fast_math, const SplitRule& rule);

}  // namespace catena::codegen
