#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include "codegen/cpu/kernel.h"

namespace mlir {
class MLIRContext;
}
namespace catena::passes {
class Dump;
}

namespace catena::codegen::cpu {

/// A name for the code's symbol that abbreviates its operations.
std::string kernel_symbol(const KernelLaunch& launch, size_t number);

/// Kernels as LLVM IR.
struct KernelModule {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
};

/// All kernels through one module: emitted, lowered to the LLVM dialect, then to LLVM IR. `dump`, if given, receives every
/// stage.
KernelModule lower_kernels(const std::vector<const WantedKernel*>& wanted, const std::vector<std::string>& names,
                           const Processor& processor, mlir::MLIRContext& context, passes::Dump* dump);

}  // namespace catena::codegen::cpu
