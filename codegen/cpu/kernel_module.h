#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include "codegen/cpu/finish.h"

namespace mlir {
class MLIRContext;
}
namespace catena::passes {
class Dump;
}

namespace catena::codegen::cpu {

/// The name of the code's symbol: its number, p for each dimension that it keeps and r for each
/// that it reduces, and the user's functions that it computes, such as "kernel0_pr_exp_sum". It has
/// no line numbers, so that code in the disk cache outlives edits of the source.
std::string kernel_symbol(const KernelLaunch& launch, size_t number);

/// Kernels as LLVM IR.
struct KernelModule {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
};

/// Compiles all kernels in one module: emits them, lowers them to the LLVM dialect, then to LLVM
/// IR. `dump`, if given, receives every stage.
KernelModule lower_kernels(const std::vector<const WantedKernel*>& wanted,
                           const std::vector<std::string>& names, const Processor& processor,
                           mlir::MLIRContext& context, passes::Dump* dump);

}  // namespace catena::codegen::cpu
