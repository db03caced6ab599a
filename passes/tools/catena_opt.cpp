// mlir-opt with the catena dialect and its passes.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include "ir/dialect.h"
#include "passes/passes.h"
#include "passes/pipeline/pipeline.h"

int main(int argc, char** argv) {
    mlir::DialectRegistry registry;
    registry.insert<catena::ir::CatenaDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                    mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect,
                    mlir::memref::MemRefDialect, mlir::LLVM::LLVMDialect>();
    mlir::registerCanonicalizerPass();
    mlir::registerCSEPass();
    catena::passes::registerCatenaPasses();
    mlir::PassPipelineRegistration<> pipeline(
        "catena-pipeline", "All stages between import and code generation",
        [](mlir::OpPassManager& manager) { catena::passes::build_pipeline(manager, {}, nullptr); });
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, "Runs passes of the catena compiler\n", registry));
}
