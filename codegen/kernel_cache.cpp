#include "codegen/kernel_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "codegen/cpu/emit_kernel.h"
#include "codegen/cpu/jit.h"
#include "codegen/cpu/lower.h"
#include "codegen/disk_cache.h"
#include "passes/dump.h"

namespace catena::codegen {

namespace {

struct Kernel {
    KernelFunction function = nullptr;
    size_t code_bytes = 0;
    std::shared_ptr<void> code;
    uint64_t last_used = 0;
};

size_t limit_from_environment() {
    const char* megabytes = std::getenv("CATENA_KERNEL_CACHE_MB");
    return (megabytes && *megabytes ? std::strtoull(megabytes, nullptr, 10) : 256) << 20;
}

/// Code by kernel_key: programs of other sizes come back to it.
struct Cache {
    std::mutex mutex;
    std::map<std::string, Kernel> kernels;
    size_t bytes = 0, limit = limit_from_environment();
    uint64_t clock = 0;
    int64_t dropped = 0;
    std::atomic<int> compiled{0};

    /// Programs that run a dropped kernel keep it.
    void drop_oldest() {
        while (bytes > limit && !kernels.empty()) {
            auto older = [](const auto& a, const auto& b) { return a.second.last_used < b.second.last_used; };
            auto oldest = std::min_element(kernels.begin(), kernels.end(), older);
            bytes -= oldest->second.code_bytes;
            kernels.erase(oldest);
            ++dropped;
        }
    }
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

std::vector<std::string> symbol_names(const std::vector<const KernelLaunch*>& launches) {
    std::vector<std::string> names;
    for (const KernelLaunch* launch : launches) names.push_back(symbol_name(*launch, names.size()));
    return names;
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
    const std::vector<std::string> names = symbol_names(launches);
    for (size_t i = 0; i < launches.size(); ++i) {
        builder.setInsertionPointToEnd(module->getBody());
        emit_kernel(builder, loc, names[i], launches[i]->program, launches[i]->options, host_target());
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
    const bool keep = DiskCache::instance().on();
    JitResult result = jit_compile(std::move(llvm_context), std::move(llvm_module), names, listener, keep);
    timer.lap("kernels-code");
    return result;
}

/// What an object file of these kernels is known by in other processes.
std::string disk_key(const std::vector<const KernelLaunch*>& launches) {
    const Target& target = host_target();
    std::string key = fmt::format("host code, LLVM {}, {}\n{} {} {}\n", LLVM_VERSION_STRING, generator_version(),
                                  target.triple, target.cpu, target.features);
    for (const KernelLaunch* launch : launches) key += launch->key + "\n";
    return key;
}

/// From the disk where it was compiled before, unless somebody wants to see how that is done.
JitResult load_or_compile(const std::vector<const KernelLaunch*>& launches, mlir::MLIRContext& context,
                          passes::Dump& dump) {
    DiskCache& disk = DiskCache::instance();
    const bool shown = dump.wants("kernels") || dump.wants("kernels-llvm-dialect") || dump.wants("kernels-code");
    if (!disk.on() || shown) return compile(launches, context, dump);
    const std::string key = disk_key(launches);
    if (std::optional<std::string> object = disk.find(key)) {
        Timer timer(dump);
        try {
            JitResult result = jit_load(*object, symbol_names(launches));
            timer.lap("kernels-from-disk");
            return result;
        } catch (const CompileError&) {  // Made by another compiler after all: it is replaced below.
        }
    }
    JitResult result = compile(launches, context, dump);
    disk.store(key, result.object);
    result.object.clear();
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
        JitResult result = load_or_compile(launched, context, dump);
        size_t i = 0;
        for (const auto& [key, launch] : missing) {
            auto function = reinterpret_cast<KernelFunction>(result.functions[i++]);
            known.kernels[key] = {function, result.code_bytes / missing.size(), result.code};
            known.bytes += known.kernels[key].code_bytes;
        }
        known.compiled += int(missing.size());
    }

    CompiledKernels summary;
    std::set<const Kernel*> used;
    for (KernelLaunch& launch : launches) {
        Kernel& kernel = known.kernels.at(launch.key);
        launch.function = kernel.function;
        launch.code = kernel.code;
        kernel.last_used = ++known.clock;
        if (used.insert(&kernel).second) summary.code_bytes += kernel.code_bytes;
    }
    summary.distinct = int(used.size());
    known.drop_oldest();
    return summary;
}

int kernels_compiled() { return cache().compiled; }

KernelCacheState kernel_cache_state() {
    Cache& known = cache();
    std::lock_guard lock(known.mutex);
    return {known.kernels.size(), known.bytes, known.limit, known.dropped};
}

void set_kernel_cache_limit(size_t bytes) {
    Cache& known = cache();
    std::lock_guard lock(known.mutex);
    known.limit = bytes;
    known.drop_oldest();
}

}  // namespace catena::codegen
