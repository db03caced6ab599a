#pragma once

#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace mlir {
class OpPassManager;
}

namespace catena::passes {

struct PipelineOptions {
    bool fast_math = false;  ///< Allow rewrites that change rounding class, NaN or inf.
};

/// Appends the stages of the compiler between import and code generation. Notes, if given, receive why
/// operations were not fused; they must outlive the passes.
void build_pipeline(mlir::OpPassManager& manager, const PipelineOptions& options,
                    std::vector<std::string>* notes);

/// Runs them on an imported program. On failure the diagnostics have been emitted at the module's context.
/// Afterwards every map and reduce stands in a catena.group and plan_memory's attributes are set.
mlir::LogicalResult run_pipeline(mlir::ModuleOp module, const PipelineOptions& options,
                                 std::vector<std::string>& notes);

}  // namespace catena::passes
