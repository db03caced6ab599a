#include "codegen/cuda/kernel_cache.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/cuda/nvrtc.h"
#include "codegen/cuda/scalar_text.h"
#include "runtime/core/system/fork.h"
#include "runtime/file/disk_cache.h"

namespace catena::codegen::cuda {

namespace {

/// NVRTC takes 20 ms to begin and about 12 ms for each small kernel.
constexpr size_t kernels_per_unit = 16;

struct Known {
    std::string name;
    const void* handle;
};
struct Cache {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::map<std::tuple<CodeDevice*, bool, std::string>, Known> kernels;
    std::atomic<int> compiled{0};
};
Cache& cache() {
    static Cache& instance = *new Cache;
    return instance;
}

std::string cache_key_of(const CodeKernel& kernel) {
    return fmt::format("{} {}", kernel.layout.threads, kernel.text.body);
}

}  // namespace

std::string kernel_name(const CodeKernel& kernel, bool fast_math) {
    constexpr const char* kinds[] = {"map", "rows", "columns"};
    return fmt::format("{}_{}{}", kinds[int(kernel.layout.kind)],
                       fingerprint(cache_key_of(kernel)).substr(0, 16), fast_math ? "_fast" : "");
}

std::string code_for(const std::string& architecture, const std::string& text, bool fast_math,
                     int newest) {
    if (architecture == "text") return text;
    const bool ptx = architecture.starts_with("compute_");
    const std::string number = architecture.substr(architecture.find('_') + 1);
    const std::vector<int> known = nvrtc_architectures(newest);
    const bool makes = std::any_of(known.begin(), known.end(),
                                   [&](int each) { return std::to_string(each) == number; });
    if (!makes && !known.empty())
        fail<CompileError>("{} makes no code for {}; it does for sm_{}", nvrtc_version(newest),
                           architecture, fmt::join(known, ", sm_"));
    return machine_code(
        DiskCache::instance(), text,
        {.architecture = "sm_" + number, .fast_math = fast_math, .ptx = ptx, .newest = newest});
}

std::string machine_code(DiskCache& disk, const std::string& text, const NvrtcOptions& options) {
    if (!disk.on()) return nvrtc_compile(text, options);
    const std::string key =
        fmt::format("CUDA code, {}, {}, ptx={}, {}\n{}", nvrtc_version(options.newest),
                    options.architecture, options.ptx, fmt::join(nvrtc_flags(options), " "), text);
    if (std::optional<std::string> found = disk.find(key)) return *found;
    std::string code = nvrtc_compile(text, options);
    disk.store(key, code);
    return code;
}

std::string unit_text(std::span<CodeKernel* const> kernels) {
    std::set<Instruction> math;
    std::string bodies;
    for (const CodeKernel* kernel : kernels) {
        math.insert(kernel->text.math.begin(), kernel->text.math.end());
        bodies += kernel_text(kernel->name, kernel->text, kernel->layout);
    }
    return preamble_text(math) + bodies;
}

std::vector<TranslationUnit> units_of(std::span<CodeKernel* const> kernels) {
    std::vector<TranslationUnit> units;
    for (size_t begin = 0; begin < kernels.size(); begin += kernels_per_unit) {
        const auto some =
            kernels.subspan(begin, std::min(kernels_per_unit, kernels.size() - begin));
        TranslationUnit& unit = units.emplace_back();
        unit.text = unit_text(some);
        for (const CodeKernel* kernel : some) unit.names.push_back(kernel->name);
    }
    return units;
}

std::vector<TranslationUnit> translation_units(std::span<CodeKernel* const> kernels,
                                               bool fast_math) {
    for (CodeKernel* kernel : kernels) kernel->name = kernel_name(*kernel, fast_math);
    return units_of(kernels);
}

int find_or_compile(CodeDevice& device, std::span<CodeKernel* const> kernels, bool fast_math) {
    Cache& known = cache();
    // One compilation at a time: a second one that wants the same kernels finds them afterwards.
    std::lock_guard lock(known.mutex);
    std::map<std::string, CodeKernel*> missing;
    auto key = [&](const std::string& text) { return std::tuple(&device, fast_math, text); };
    for (CodeKernel* kernel : kernels)
        if (std::string text = cache_key_of(*kernel); !known.kernels.contains(key(text)))
            missing.emplace(std::move(text), kernel);

    std::vector<CodeKernel*> fresh;
    std::vector<const std::string*> fresh_keys;
    for (auto& [text, kernel] : missing) {
        fresh.push_back(kernel);
        fresh_keys.push_back(&text);
    }
    const std::string architecture = device.architecture();
    size_t next = 0;
    for (const TranslationUnit& unit : translation_units(fresh, fast_math)) {
        std::string image = architecture == "text" ? unit.text
                                                   : machine_code(DiskCache::instance(), unit.text,
                                                                  {.architecture = architecture,
                                                                   .fast_math = fast_math,
                                                                   .newest = device.newest_code()});
        for (const void* handle : device.load(image, unit.names)) {
            known.kernels[key(*fresh_keys[next])] = {fresh[next]->name, handle};
            ++next;
        }
    }
    known.compiled += int(fresh.size());
    for (CodeKernel* kernel : kernels) {
        const Known& found = known.kernels.at(key(cache_key_of(*kernel)));
        kernel->name = found.name;
        kernel->handle = found.handle;
    }
    return int(fresh.size());
}

int kernels_compiled() { return cache().compiled; }

}  // namespace catena::codegen::cuda
