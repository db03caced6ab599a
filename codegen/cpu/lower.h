#pragma once

#include <memory>

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace catena::codegen::cpu {

/// Registers the dialects of kernels and those they are lowered to.
void register_kernel_dialects(mlir::DialectRegistry& registry);

/// Lowers kernels in scf, arith, math, vector to the LLVM dialect, in place. CompileError on
/// failure.
void lower_to_llvm_dialect(mlir::ModuleOp module);

/// Translates the LLVM dialect to LLVM IR.
std::unique_ptr<llvm::Module> translate_to_llvm(mlir::ModuleOp module, llvm::LLVMContext& context);

}  // namespace catena::codegen::cpu
