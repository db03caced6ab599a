#include "codegen/cpu/kernel_module.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "codegen/cpu/emit_kernel.h"
#include "codegen/cpu/lower.h"
#include "codegen/stage_timer.h"
#include "passes/pipeline/dump.h"

namespace catena::codegen::cpu {

namespace {

/// The functions that the kernel computes, as a part of an identifier: "_multiply_add".
std::string function_names(const KernelLaunch& launch) {
    constexpr size_t longest = 48;
    std::string names;
    std::set<std::string_view> named;
    for (const program::Operation& operation : launch.operations) {
        if (!named.insert(operation.function).second) continue;
        if (names.size() + operation.function.size() > longest) return names + "_more";
        names += '_';
        for (char c : operation.function) names += llvm::isAlnum(c) ? c : '_';
    }
    return names;
}

}  // namespace

std::string kernel_symbol(const KernelLaunch& launch, size_t number) {
    const KernelGeometry& geometry = launch.geometry;
    std::string dims;
    for (int dim = 0; dim < geometry.domain.rank(); ++dim) dims += "pr"[geometry.is_reduced(dim)];
    return fmt::format("kernel{}_{}{}", number, dims, function_names(launch));
}

KernelModule lower_kernels(const std::vector<const WantedKernel*>& wanted,
                           const std::vector<std::string>& names, const Processor& processor,
                           mlir::MLIRContext& context, passes::Dump* dump) {
    StageTimer timer(dump);
    mlir::OpBuilder builder(&context);
    mlir::Location loc = builder.getUnknownLoc();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
    for (size_t i = 0; i < wanted.size(); ++i) {
        builder.setInsertionPointToEnd(module->getBody());
        emit_kernel(builder, loc, names[i], *wanted[i]->kernel, wanted[i]->options, processor);
    }
    timer.lap("kernels");
    if (dump) dump->program("kernels", *module);
    lower_to_llvm_dialect(*module);
    timer.lap("kernels-llvm-dialect");
    if (dump) dump->program("kernels-llvm-dialect", *module);
    KernelModule kernels;
    kernels.context = std::make_unique<llvm::LLVMContext>();
    kernels.module = translate_to_llvm(*module, *kernels.context);
    timer.lap("kernels-llvm");
    return kernels;
}

}  // namespace catena::codegen::cpu
