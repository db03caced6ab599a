#include "runtime/core/array/code_device.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "runtime/core/system/fork.h"
#include "runtime/core/system/per_thread.h"

namespace catena {

namespace {

std::atomic<KernelProvider& (*)()> provider{nullptr};
constinit PerThread<KernelProvider*> own_provider;

struct Sites {
    struct Site {
        std::string op;
        SourceLoc at;
    };
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::vector<Site> all;
    std::map<std::tuple<std::string, std::string, uint32_t>, int64_t> numbers;
};
Sites& sites() {
    static Sites& instance = *new Sites;
    return instance;
}

class HostTimer final : public CodeDevice::Timer {
public:
    explicit HostTimer(CodeDevice& device) : device_(device) {}
    void mark() override {
        device_.synchronize();
        marks_.push_back(std::chrono::steady_clock::now());
    }
    std::vector<double> seconds() override {
        std::vector<double> all;
        for (size_t i = 1; i < marks_.size(); ++i)
            all.push_back(std::chrono::duration<double>(marks_[i] - marks_[i - 1]).count());
        return all;
    }

private:
    CodeDevice& device_;
    std::vector<std::chrono::steady_clock::time_point> marks_;
};

}  // namespace

void CodeDevice::replay(std::unique_ptr<Replay>&, std::span<const Launch> launches) {
    for (const Launch& launch : launches) launch_code(launch);
}

void CodeDevice::replay(Replay&, std::span<const Work>) {
    fail<InternalError>("{}: it records no work", name());
}

int64_t fault_site(const std::string& op, const SourceLoc& at) {
    Sites& known = sites();
    std::lock_guard lock(known.mutex);
    const auto [entry, fresh] =
        known.numbers.emplace(std::tuple(op, at.file, at.line), int64_t(known.all.size()) + 1);
    if (fresh) known.all.push_back({op, at});
    return entry->second;
}

void CodeDevice::raise_faults() {
    auto* words = static_cast<volatile int64_t*>(fault_words());
    if (!words || words[0] == 0) return;
    const int64_t number = words[0], index = words[1], axis = words[2], size = words[3],
                  wrap = words[4];
    words[0] = 0;
    Sites::Site site;
    {
        Sites& known = sites();
        std::lock_guard lock(known.mutex);
        if (number > 0 && number <= int64_t(known.all.size())) site = known.all[size_t(number) - 1];
    }
    LocationScope location(site.at);
    fail<ValueError>(
        "{}: index {} is outside of axis {} of size {}, which takes {} to {} ({} finds out when "
        "results "
        "are read)",
        site.op, index, axis, size, wrap ? -size : 0, size - 1, name());
}

std::unique_ptr<CodeDevice::Mark> CodeDevice::mark() {
    fail<DeviceError>("{}: it has no separate streams for communication libraries", name());
}

std::unique_ptr<CodeDevice::Stream> CodeDevice::make_stream() {
    fail<DeviceError>("{}: it has no separate streams for communication libraries", name());
}

std::unique_ptr<CodeDevice::Timer> CodeDevice::make_timer() {
    return std::make_unique<HostTimer>(*this);
}

void CodeDevice::launch(const KernelCall& call) { kernel_provider().run(*this, call); }

KernelProvider& kernel_provider() {
    if (KernelProvider* const own = own_provider.get()) return *own;
    auto* load = provider.load();
    if (!load)
        fail<DeviceError>(
            "kernels for a device need Catena's compiler, which this program does not have; link "
            "libcatena, built with CATENA_COMPILER=ON");
    return load();
}

KernelProviderScope::KernelProviderScope(KernelProvider* next) : previous_(own_provider.get()) {
    if (next) own_provider.get() = next;
}
KernelProviderScope::~KernelProviderScope() { own_provider.get() = previous_; }

void set_kernel_provider(KernelProvider& (*load)()) { provider = load; }

}  // namespace catena
