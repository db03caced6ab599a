#include "passes/pipeline/pipeline.h"

#include <algorithm>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include "passes/fuse/fuse.h"
#include "passes/join/join_calls.h"
#include "passes/layout.h"
#include "passes/passes.h"
#include "passes/pipeline/dump.h"
#include "passes/recompute.h"
#include "passes/rematerialize.h"
#include "runtime/core/system/environment.h"

namespace catena::passes {

namespace {

using Notes = std::vector<std::string>*;

struct Stage {
    const char* name;
    std::unique_ptr<mlir::Pass> (*make)(const PipelineOptions& options, Notes notes);
    bool decides_by_size = false;
    bool is_of_host = false;  ///< Whether the pass makes calls that only the host's kernels know.
    bool orders_images = false;
    bool saves_memory = false;
};

const Stage stages[] = {
    // Recorded programs undo their own reshapes and broadcast what the next map would broadcast
    // anyway; without
    // them more operations are neighbours.
    {"canonicalize", [](auto&, Notes) { return createCanonicalize(); }},
    // Forward and backward compute the same values; after canonicalization, because that makes them
    // look the
    // same, and before fusion, which would hide them in different groups.
    {"cse", [](auto&, Notes) { return createCse(); }},
    // Unused values must not become results of groups, nor keep calls from being joined.
    {"drop-dead", [](auto&, Notes) { return createDropDead(); }},
    // Independent steps then read the weights once. Before fusion, because sums over steps
    // disappear.
    {"join-calls", [](auto&, Notes notes) { return create_join_calls_pass(notes); }, true},
    // Before the sums are divided into blocks, which would hide that they are mean and variance of
    // a convolution's result.
    {.name = "statistics",
     .make = [](auto&, Notes) { return createStatistics(); },
     .decides_by_size = true,
     .is_of_host = true},
    // Before fusion, which makes the one sweep; after sums have been joined, which are single ones
    // until here.
    {"variance", [](auto&, Notes) { return createVariance(); }, true},
    // Before fusion, which would make sweeps of what the library can do in registers.
    {.name = "tails", .make = [](auto&, Notes) { return createTails(); }, .is_of_host = true},
    // After tails, whose calls it puts together.
    {.name = "blocks",
     .make = [](auto&, Notes) { return createBlocks(); },
     .decides_by_size = true,
     .is_of_host = true},
    // Memory traffic dominates: one pass over memory for everything that shares a domain.
    {"fuse", [](auto&, Notes notes) { return create_fuse_pass(notes); }},
    // After fusion, which computes nothing twice: only now it is known what would be stored between
    // sweeps.
    {"recompute", [](auto&, Notes notes) { return create_recompute_pass(notes); }, true},
    // After fusion, because only what groups and calls store has a memory order.
    {.name = "layout",
     .make = [](auto& options, Notes) { return create_layout_pass(options.channels_last); },
     .decides_by_size = true,
     .orders_images = true},
    // Last, because only now it is known what is stored, and for how long.
    {.name = "rematerialize",
     .make = [](auto& options,
                Notes notes) { return create_rematerialize_pass(options.memory_budget, notes); },
     .decides_by_size = true,
     .saves_memory = true},
};

}  // namespace

std::vector<std::string> stage_names() {
    std::vector<std::string> names;
    for (const Stage& stage : stages) names.push_back(stage.name);
    return names;
}

void build_pipeline(mlir::OpPassManager& manager, const PipelineOptions& options,
                    std::vector<std::string>* notes) {
    mlir::OpPassManager& function = manager.nest<mlir::func::FuncOp>();
    const std::vector<std::string> without =
        environment::list("CATENA_DISABLE_PASS", stage_names());
    const auto is_wanted = [&](const Stage& stage) {
        return std::ranges::find(without, stage.name) == without.end() &&
               !(options.any_size && stage.decides_by_size) &&
               (options.for_host || !stage.is_of_host) &&
               (options.channels_last || !stage.orders_images) &&
               (options.memory_budget > 0 || options.is_large || !stage.saves_memory);
    };
    for (const Stage& stage : stages)
        if (is_wanted(stage)) function.addPass(stage.make(options, notes));
}

mlir::LogicalResult run_pipeline(mlir::ModuleOp module, const PipelineOptions& options,
                                 std::vector<std::string>& notes) {
    mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
    if (options.dump) manager.addInstrumentation(dump_instrumentation(*options.dump));
    // Verifying takes a fifth of the time for large programs; catena-opt and the tests do it after
    // every pass.
    manager.enableVerifier(options.verify_each);
    build_pipeline(manager, options, &notes);
    return mlir::success(mlir::succeeded(manager.run(module)) &&
                         mlir::succeeded(mlir::verify(module)));
}

}  // namespace catena::passes
