#include "passes/pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "passes/dump.h"
#include "passes/fuse.h"
#include "passes/join_calls.h"
#include "passes/passes.h"

namespace catena::passes {

void build_pipeline(mlir::OpPassManager& manager, const PipelineOptions&, std::vector<std::string>* notes) {
    mlir::OpPassManager& function = manager.nest<mlir::func::FuncOp>();
    // Recorded programs undo their own reshapes and broadcast what the next map would broadcast anyway; without
    // them more operations are neighbours.
    function.addPass(mlir::createCanonicalizerPass());
    // Forward and backward compute the same values; after canonicalization, because that makes them look the
    // same, and before fusion, which would hide them in different groups.
    function.addPass(mlir::createCSEPass());
    // What nobody needs must not become a result of a group, nor keep calls from being joined.
    function.addPass(createDropDead());
    // Weights are read once where steps do not wait for each other. Before fusion, because sums over steps go away.
    function.addPass(create_join_calls_pass(notes));
    // Memory traffic is what costs: one sweep for everything that shares a domain.
    function.addPass(create_fuse_pass(notes));
}

mlir::LogicalResult run_pipeline(mlir::ModuleOp module, const PipelineOptions& options,
                                 std::vector<std::string>& notes) {
    mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
    if (options.dump) manager.addInstrumentation(dump_instrumentation(*options.dump));
    // A fifth of the time for large programs; catena-opt and the tests verify after every pass.
    manager.enableVerifier(options.verify_each);
    build_pipeline(manager, options, &notes);
    return mlir::success(mlir::succeeded(manager.run(module)) && mlir::succeeded(mlir::verify(module)));
}

}  // namespace catena::passes
