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
    bool fast_math = false;  ///< Whether rewrites may change rounding, NaN or inf.
    Dump* dump = nullptr;    ///< The object that shows every stage, if given.
    /// Whether the program must be the same at all sizes, so that no decision may depend on them.
    bool any_size = false;
    bool for_host = false;  ///< Whether calls may be made that only the host's kernels know.
    /// The rule by which images get their memory order; empty: row-major.
    ChannelsLastRule channels_last = {};
    /// The most bytes of intermediate results at a time, as the passes see them; 0: as many as is
    /// fast.
    int64_t memory_budget = 0;
    /// Whether its arrays have so many bytes that memory is saved where that is cheap
    /// (rematerialize.h).
    bool is_large = false;
    /// Whether the program is verified after every stage, not only at the end.
    bool verify_each = false;
};

/// Names of the stages between import and code generation, in order.
std::vector<std::string> stage_names();

/// Appends all stages, except those in CATENA_DISABLE_PASS (separated by commas; ValueError for
/// unknown ones). Results are correct without any stage. `notes`, if given, receives the reasons
/// why operations were not fused and must outlive the passes.
void build_pipeline(mlir::OpPassManager& manager, const PipelineOptions& options,
                    std::vector<std::string>* notes);

/// Runs the stages on an imported program. Afterwards every map and reduce is inside a
/// catena.group. On failure the diagnostics have gone to the context's handlers.
mlir::LogicalResult run_pipeline(mlir::ModuleOp module, const PipelineOptions& options,
                                 std::vector<std::string>& notes);

}  // namespace catena::passes
