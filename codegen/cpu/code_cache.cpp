#include "codegen/cpu/code_cache.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "llvm/Config/llvm-config.h"
#include "mlir/IR/MLIRContext.h"

#include "codegen/cpu/jit.h"
#include "codegen/cpu/kernel_module.h"
#include "codegen/generator_version.h"
#include "codegen/stage_timer.h"
#include "passes/pipeline/dump.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/fork.h"
#include "runtime/file/disk_cache.h"

namespace catena::codegen::cpu {

namespace {

struct MachineCode {
    KernelFunction function = nullptr;
    size_t code_bytes = 0;
    std::shared_ptr<void> code;
    std::shared_ptr<const program::KeptCode> kept;
    uint64_t last_used = 0;
};

size_t limit_from_environment() {
    return size_t(environment::whole_number("CATENA_KERNEL_CACHE_MB", 0).value_or(256)) << 20;
}

/// Code by kernel_key, shared by programs of other sizes.
struct Cache {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::map<std::string, MachineCode> kernels;
    size_t bytes = 0, limit = limit_from_environment();
    uint64_t clock = 0;
    int64_t dropped = 0;
    std::atomic<int> compiled{0};

    /// Drops the oldest kernels; programs that run one of these keep it.
    void drop_oldest() {
        while (bytes > limit && !kernels.empty()) {
            auto older = [](const auto& a, const auto& b) {
                return a.second.last_used < b.second.last_used;
            };
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

std::vector<std::string> symbol_names(const std::vector<const WantedKernel*>& wanted) {
    std::vector<std::string> names;
    for (const WantedKernel* each : wanted)
        names.push_back(kernel_symbol(*each->launch, names.size()));
    return names;
}

/// Comments that say which of the user's operations each function computes. Only in texts: code is
/// shared by programs with other lines.
std::string legend(const std::vector<const WantedKernel*>& wanted,
                   const std::vector<std::string>& names, const char* extension) {
    const char* comment = std::string_view(extension) == "ll" ? ";" : "#";
    std::string text;
    for (size_t i = 0; i < wanted.size(); ++i) {
        text += fmt::format("{} {}:", comment, names[i]);
        for (const program::Operation& operation : wanted[i]->launch->operations)
            text += " " + program::to_string(operation);
        text += "\n";
    }
    return text;
}

/// Compiles all kernels through one module.
JitResult compile(const std::vector<const WantedKernel*>& wanted, mlir::MLIRContext& context,
                  passes::Dump& dump) {
    const std::vector<std::string> names = symbol_names(wanted);
    KernelModule kernels = lower_kernels(wanted, names, host_processor(), context, &dump);
    CodeListener listener;
    if (dump.wants("kernels-code"))
        listener = [&](const char* extension, const std::string& text) {
            dump.text("kernels-code", extension, legend(wanted, names, extension) + text);
        };
    const bool keep = DiskCache::instance().on();
    StageTimer timer(&dump);
    JitResult result =
        jit_compile(std::move(kernels.context), std::move(kernels.module), names, listener, keep);
    timer.lap("kernels-code");
    return result;
}

/// The key of an object file of these kernels in the disk cache.
std::string disk_key(const std::vector<const WantedKernel*>& wanted) {
    const Processor& processor = host_processor();
    std::string key =
        fmt::format("host code, LLVM {}, {}\n{} {} {}\n", LLVM_VERSION_STRING, generator_version(),
                    processor.triple, processor.cpu, processor.features);
    const std::vector<std::string> names = symbol_names(wanted);
    for (size_t i = 0; i < wanted.size(); ++i)
        key += names[i] + " " + wanted[i]->launch->key + "\n";
    return key;
}

/// Loaded from disk if compiled before, unless a dump is requested. `kept`: the name of the object
/// on disk; empty if it is not there.
JitResult load_or_compile(const std::vector<const WantedKernel*>& wanted,
                          mlir::MLIRContext& context, passes::Dump& dump, std::string& kept) {
    DiskCache& disk = DiskCache::instance();
    const bool shown =
        dump.wants("kernels") || dump.wants("kernels-llvm-dialect") || dump.wants("kernels-code");
    if (!disk.on() || shown) return compile(wanted, context, dump);
    const std::string key = disk_key(wanted);
    kept = fingerprint(key);
    if (std::optional<std::string> object = disk.find(key)) {
        StageTimer timer(&dump);
        try {
            JitResult result = jit_load(*object, symbol_names(wanted));
            timer.lap("kernels-from-disk");
            return result;
        } catch (const CompileError&) {  // Compiled by another compiler: replaced below.
        }
    }
    JitResult result = compile(wanted, context, dump);
    disk.store(key, result.object);
    result.object.clear();
    return result;
}

}  // namespace

CompiledKernels find_or_compile(std::span<const WantedKernel> wanted, mlir::MLIRContext& context,
                                passes::Dump& dump) {
    Cache& known = cache();
    // One compilation at a time: a second one that needs the same kernels finds them in the cache.
    std::lock_guard lock(known.mutex);
    std::map<std::string, const WantedKernel*> missing;
    for (const WantedKernel& each : wanted)
        if (!known.kernels.contains(each.launch->key)) missing.emplace(each.launch->key, &each);

    if (!missing.empty()) {
        std::vector<const WantedKernel*> fresh;
        for (const auto& [key, each] : missing) fresh.push_back(each);
        std::string kept;
        JitResult result = load_or_compile(fresh, context, dump, kept);
        const std::vector<std::string> symbols = symbol_names(fresh);
        size_t i = 0;
        for (const auto& [key, each] : missing) {
            auto function = reinterpret_cast<KernelFunction>(result.functions[i]);
            std::shared_ptr<const program::KeptCode> where;
            if (!kept.empty()) where = std::make_shared<program::KeptCode>(kept, symbols[i]);
            known.kernels[key] = {function, result.code_bytes / missing.size(), result.code,
                                  std::move(where)};
            ++i;
            known.bytes += known.kernels[key].code_bytes;
        }
        known.compiled += int(missing.size());
    }

    CompiledKernels summary;
    std::set<const MachineCode*> used;
    for (const WantedKernel& each : wanted) {
        MachineCode& code = known.kernels.at(each.launch->key);
        each.launch->function = code.function;
        each.launch->code = code.code;
        each.launch->kept = code.kept;
        code.last_used = ++known.clock;
        if (used.insert(&code).second) summary.code_bytes += code.code_bytes;
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

}  // namespace catena::codegen::cpu
