#pragma once

#include "mlir/IR/BuiltinOps.h"

#include "codegen/schedule.h"
#include "runtime/graph/trace.h"

namespace catena::codegen {

struct ScheduleOptions {
    bool fast_math = false;
    SplitRule rule;         ///< When reductions are split for the target.
    bool streaming = true;  ///< Large outputs may use non-temporal stores: for sizes of whole vectors only.
};

/// The program after all passes as a schedule whose kernels are not compiled yet. The trace says in
/// which order results are returned.
Schedule build_schedule(mlir::ModuleOp module, const Trace& trace, const ScheduleOptions& options);

}  // namespace catena::codegen
