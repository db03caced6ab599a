#include "passes/pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace catena::passes {

void build_pipeline(mlir::OpPassManager& manager, const PipelineOptions&, std::vector<std::string>*) {
    mlir::OpPassManager& function = manager.nest<mlir::func::FuncOp>();
    // Recorded programs repeat themselves and undo their own reshapes; less is left to think about.
    function.addPass(mlir::createCanonicalizerPass());
    // Forward and backward compute the same values; fusion should see one producer, not two.
    function.addPass(mlir::createCSEPass());
}

mlir::LogicalResult run_pipeline(mlir::ModuleOp module, const PipelineOptions& options,
                                 std::vector<std::string>& notes) {
    mlir::PassManager manager(module.getContext());
    build_pipeline(manager, options, &notes);
    return manager.run(module);
}

}  // namespace catena::passes
