#pragma once

#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace mlir {
class OpPassManager;
}

namespace catena::passes {

class Dump;

struct PipelineOptions {
    bool fast_math = false;  ///< Allow rewrites that change rounding class, NaN or inf.
    Dump* dump = nullptr;    ///< Shows every stage, if given.
    bool any_size = false;   ///< The program must be the same at all sizes: no stage decides by them.
    bool verify_each = false;  ///< Verify after every stage, not only at the end.
};

/// The stages between import and code generation, in order.
std::vector<std::string> stage_names();

/// Appends them, but those that CATENA_DISABLE_PASS names (with commas between; CompileError for one that does not exist). No
/// stage is needed for a right result. `notes`, if given, receives why operations were not
/// fused and must outlive the passes.
void build_pipeline(mlir::OpPassManager& manager, const PipelineOptions& options,
                    std::vector<std::string>* notes);

/// Runs them on an imported program. Afterwards every map and reduce stands in a catena.group.
/// On failure the diagnostics have gone to the context's handlers.
mlir::LogicalResult run_pipeline(mlir::ModuleOp module, const PipelineOptions& options,
                                 std::vector<std::string>& notes);

}  // namespace catena::passes
