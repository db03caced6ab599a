#include "codegen/cpu/lower.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include "runtime/core/system/error.h"

namespace catena::codegen::cpu {

void register_kernel_dialects(mlir::DialectRegistry& registry) {
    registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                    mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                    mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::registerLLVMDialectTranslation(registry);
}

void lower_to_llvm_dialect(mlir::ModuleOp module) {
    mlir::MLIRContext* context = module.getContext();
    mlir::LLVMTypeConverter types(context);
    mlir::RewritePatternSet patterns(context);
    // A single conversion: each further one would visit and verify every operation again.
    mlir::populateSCFToControlFlowConversionPatterns(patterns);
    mlir::cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    mlir::arith::populateArithToLLVMConversionPatterns(types, patterns);
    mlir::populateMathToLLVMConversionPatterns(types, patterns);
    mlir::populateVectorToLLVMConversionPatterns(types, patterns);
    mlir::populateFuncToLLVMConversionPatterns(types, patterns);
    mlir::LLVMConversionTarget target(*context);
    target.addLegalOp<mlir::ModuleOp>();
    if (mlir::failed(mlir::applyFullConversion(module, target, std::move(patterns))))
        fail<CompileError>("codegen: a kernel could not be lowered to the LLVM dialect");
}

std::unique_ptr<llvm::Module> translate_to_llvm(mlir::ModuleOp module, llvm::LLVMContext& context) {
    auto translated = mlir::translateModuleToLLVMIR(module, context, "catena_kernels");
    if (!translated) fail<CompileError>("codegen: a kernel could not be translated to LLVM IR");
    return translated;
}

}  // namespace catena::codegen::cpu
