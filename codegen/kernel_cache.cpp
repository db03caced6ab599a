#include "codegen/kernel_cache.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "codegen/cpu/emit_kernel.h"
#include "codegen/cpu/jit.h"
#include "codegen/cpu/lower.h"
#include "passes/dump.h"

namespace catena::codegen {

namespace {

struct Kernel {
    KernelFunction function = nullptr;
    size_t code_bytes = 0;
};

/// Code by kernel_key, for good: kernels are small and programs of other sizes come back to them.
struct Cache {
    std::mutex mutex;
    std::map<std::string, Kernel> kernels;
    std::atomic<int> compiled{0};
};
Cache& cache() {
    static Cache* instance = new Cache;
    return *instance;
}

/// A name for the code's symbol: what it does, in short.
std::string symbol_name(const KernelLaunch& launch, size_t number) {
    const KernelProgram& program = launch.program;
    std::string dims;
    for (int dim = 0; dim < program.domain.rank(); ++dim) dims += "pr"[program.is_reduced(dim)];
    return fmt::format("kernel{}_{}", number, dims);
}

class Timer {
public:
    explicit Timer(passes::Dump& dump) : dump_(dump) {}
    void lap(llvm::StringRef stage) {
        auto now = std::chrono::steady_clock::now();
        dump_.time(stage, std::chrono::duration<double, std::milli>(now - start_).count());
        start_ = now;
    }

private:
    passes::Dump& dump_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// All kernels through one module: emitted, lowered to the LLVM dialect, to LLVM IR, to code.
JitResult compile(const std::vector<const KernelLaunch*>& launches, mlir::MLIRContext& context,
                  passes::Dump& dump) {
    Timer timer(dump);
    mlir::OpBuilder builder(&context);
    mlir::Location loc = builder.getUnknownLoc();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
    std::vector<std::string> names;
    for (const KernelLaunch* launch : launches) {
        names.push_back(symbol_name(*launch, names.size()));
        builder.setInsertionPointToEnd(module->getBody());
        emit_kernel(builder, loc, names.back(), launch->program, launch->options, host_target());
    }
    timer.lap("kernels");
    dump.program("kernels", *module);
    lower_to_llvm_dialect(*module);
    timer.lap("kernels-llvm-dialect");
    dump.program("kernels-llvm-dialect", *module);
    auto llvm_context = std::make_unique<llvm::LLVMContext>();
    auto llvm_module = translate_to_llvm(*module, *llvm_context);
    timer.lap("kernels-llvm");
    JitListener listener;
    if (dump.wants("kernels-code"))
        listener = [&](const char* extension, const std::string& text) {
            dump.text("kernels-code", extension, text);
        };
    JitResult result = jit_compile(std::move(llvm_context), std::move(llvm_module), names, listener);
    timer.lap("kernels-code");
    return result;
}

}  // namespace

CompiledKernels find_or_compile(std::span<KernelLaunch> launches, mlir::MLIRContext& context,
                                passes::Dump& dump) {
    Cache& known = cache();
    // One compilation at a time: a second one that wants the same kernels finds them afterwards.
    std::lock_guard lock(known.mutex);
    std::map<std::string, const KernelLaunch*> missing;
    for (const KernelLaunch& launch : launches)
        if (!known.kernels.contains(launch.key)) missing.emplace(launch.key, &launch);

    if (!missing.empty()) {
        std::vector<const KernelLaunch*> launched;
        for (const auto& [key, launch] : missing) launched.push_back(launch);
        JitResult result = compile(launched, context, dump);
        size_t i = 0;
        for (const auto& [key, launch] : missing) {
            auto function = reinterpret_cast<KernelFunction>(result.functions[i++]);
            known.kernels[key] = {function, result.code_bytes / missing.size()};
        }
        known.compiled += int(missing.size());
    }

    CompiledKernels summary;
    std::set<const Kernel*> used;
    for (KernelLaunch& launch : launches) {
        const Kernel& kernel = known.kernels.at(launch.key);
        launch.function = kernel.function;
        if (used.insert(&kernel).second) summary.code_bytes += kernel.code_bytes;
    }
    summary.distinct = int(used.size());
    return summary;
}

int kernels_compiled() { return cache().compiled; }

}  // namespace catena::codegen
