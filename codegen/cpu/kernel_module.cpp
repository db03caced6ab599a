#include "codegen/cpu/kernel_module.h"

#include <fmt/format.h>

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "codegen/cpu/emit_kernel.h"
#include "codegen/cpu/lower.h"
#include "passes/dump.h"

namespace catena::codegen::cpu {

std::string kernel_symbol(const KernelLaunch& launch, size_t number) {
    const KernelProgram& program = launch.program;
    std::string dims;
    for (int dim = 0; dim < program.domain.rank(); ++dim) dims += "pr"[program.is_reduced(dim)];
    return fmt::format("kernel{}_{}", number, dims);
}

void StageTimer::lap(const char* stage) {
    auto now = std::chrono::steady_clock::now();
    if (dump_) dump_->time(stage, start_, now);
    start_ = now;
}

KernelModule lower_kernels(const std::vector<const KernelLaunch*>& launches, const std::vector<std::string>& names,
                           const Processor& processor, mlir::MLIRContext& context, passes::Dump* dump) {
    StageTimer timer(dump);
    mlir::OpBuilder builder(&context);
    mlir::Location loc = builder.getUnknownLoc();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
    for (size_t i = 0; i < launches.size(); ++i) {
        builder.setInsertionPointToEnd(module->getBody());
        emit_kernel(builder, loc, names[i], launches[i]->program, launches[i]->options, processor);
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
