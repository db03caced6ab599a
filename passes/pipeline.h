#pragma once

#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include "runtime/ops/declare/channels_last.h"

namespace mlir {
class OpPassManager;
}

namespace catena::passes {

class Dump;

struct PipelineOptions {
    bool fast_math = false;  ///< Allow rewrites that change rounding, NaN or inf.
    Dump* dump = nullptr;    ///< Shows every stage, if given.
    bool any_size =
        false;  ///< The program must be the same at all sizes: no decision may depend on them.
    bool for_host = false;                ///< Calls may be made that only the host's kernels know.
    ChannelsLastRule channels_last = {};  ///< By which images get their order; empty: row-major.
    int64_t memory_budget = 0;  ///< Bytes of intermediate results at a time, as the passes see
                                ///< them; 0: as many as is fast.
    bool is_large = false;      ///< Its arrays are so many bytes that memory is saved where that is
                                ///< cheap (rematerialize.h).
    bool verify_each = false;   ///< Verify after every stage, not only at the end.
};

/// The stages between import and code generation, in order.
std::vector<std::string> stage_names();

/// Appends them, except those in CATENA_DISABLE_PASS (separated by commas; ValueError for unknown
/// ones). Results are correct without any stage. `notes`, if given, receives why operations were
/// not fused and must outlive the passes.
void build_pipeline(mlir::OpPassManager& manager, const PipelineOptions& options,
                    std::vector<std::string>* notes);

/// Runs them on an imported program. Afterwards every map and reduce is inside a catena.group.
/// On failure the diagnostics have gone to the context's handlers.
mlir::LogicalResult run_pipeline(mlir::ModuleOp module, const PipelineOptions& options,
                                 std::vector<std::string>& notes);

}  // namespace catena::passes
