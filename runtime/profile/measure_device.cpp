#include "runtime/profile/measure_device.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/op.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/declare/library_role.h"

namespace catena::profile {
namespace {

constexpr double long_enough = 20e-3;
constexpr int rounds = 5;
constexpr size_t launches_at_once = 200;

/// Seconds of the fastest of several runs after one that warms up, from mark to mark: while one
/// runs, the host prepares the next.
double fastest(CodeDevice& device, const std::function<void()>& run) {
    run();
    const std::unique_ptr<CodeDevice::Timer> timer = device.make_timer();
    timer->mark();
    for (int i = 0; i < rounds; ++i) {
        run();
        timer->mark();
    }
    return std::ranges::min(timer->seconds());
}

double fastest(Device& device, const std::function<void()>& run) {
    if (auto* const code = dynamic_cast<CodeDevice*>(&device)) return fastest(*code, run);
    using Clock = std::chrono::steady_clock;
    run();
    double best = 1e9;
    for (int i = 0; i < rounds; ++i) {
        const Clock::time_point begin = Clock::now();
        run();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return best;
}

/// What `measure` returns, or 0 where the device has no memory or no code for it.
double unless_refused(const std::function<double()>& measure) {
    try {
        return measure();
    } catch (const DeviceError&) {
        return 0;
    } catch (const CompileError&) {
        return 0;
    }
}

/// A matrix with one row of pseudorandom numbers in all rows. Products of equal numbers would be
/// faster than others, since fewer bits change and the clock stays higher.
Array numbers(int64_t n, Dtype dtype, Device& device) {
    std::vector<float> row(size_t(n), 0);
    uint32_t state = 12345;
    for (float& each : row) {
        state = state * 1664525u + 1013904223u;
        each = float(state >> 8) * 0x1p-23f - 1.0f;
    }
    Array there;
    {
        const DeviceScope on_host(cpu_device());
        there = Array::from(row, Shape{n}).astype(dtype);
    }
    there = there.to(device);
    const Array all = Array::empty({dtype, Shape{n, n}}, device);
    copy_elements(there.view(Shape{n, n}, Strides{0, 1}, 0), all);
    return all;
}

double seconds_of_product(Device& device, Dtype dtype, int64_t n) {
    const auto& ops = all_ops();
    const auto found = std::ranges::find_if(
        ops, [](const OpDef* each) { return library_role_of(*each) == LibraryRole::matmul; });
    CATENA_ASSERT(found != ops.end(), "there is a product of matrices");
    const OpDef* const op = *found;
    const Array inputs[] = {numbers(n, dtype, device), numbers(n, dtype, device)};
    Array outputs[] = {Array::empty({dtype, Shape{n, n}}, device)};
    const Attributes attributes{{"transa", false}, {"transb", false}};
    const KernelCall call{*op, inputs, outputs, attributes, {}};
    auto* const code = dynamic_cast<CodeDevice*>(&device);
    if (code && !code->launch_in_library(call)) return 0;  // Kernels of ours are no ceiling.
    return fastest(device, [&] { code ? void(code->launch_in_library(call)) : op->kernel(call); });
}

/// Stands before a device and notes the last kernel that is launched there.
class Noting final : public CodeDevice {
public:
    explicit Noting(CodeDevice& behind) : CodeDevice(behind.name()), behind_(behind) {}

    std::string architecture() const override { return behind_.architecture(); }
    int multiprocessors() const override { return behind_.multiprocessors(); }
    int newest_code() const override { return behind_.newest_code(); }
    std::vector<const void*> load(const std::string& image,
                                  std::span<const std::string> names) override {
        return behind_.load(image, names);
    }
    void launch_code(const Launch& launch) override {
        noted = launch;
        noted.name = "a kernel that copies one number";
        words.resize(launch.bytes / sizeof(uint64_t) + 1);
        std::memcpy(words.data(), launch.arguments, launch.bytes);
        noted.arguments = words.data();
        behind_.launch_code(noted);
    }
    void upload(void* to, const void* from, size_t bytes) override {
        behind_.upload(to, from, bytes);
    }
    Ref<Storage> allocate(size_t bytes) override { return behind_.allocate(bytes); }
    void free(Storage* storage) override { behind_.free(storage); }
    void copy_from_host(const void* host, const Array& to) override {
        behind_.copy_from_host(host, to);
    }
    void copy_to_host(const Array& from, void* host) override { behind_.copy_to_host(from, host); }

    Launch noted;
    std::vector<uint64_t> words;

private:
    CodeDevice& behind_;
};

/// Seconds of each of many launches that copy one number; `by_graph`: as one graph.
double seconds_of_launches(CodeDevice& device, bool by_graph) {
    // Never destroyed: the compiler knows kernels by their device.
    Noting& noting = *new Noting(device);
    const Type one{Dtype::float32, Shape{1}};
    const Array from = Array::empty(one, device), to = Array::empty(one, device);
    kernel_provider().copy(noting, from, to);
    CATENA_ASSERT(noting.noted.kernel, "a copy launches a kernel");
    std::vector<CodeDevice::Launch> launches(launches_at_once, noting.noted);
    for (size_t i = 0; i < launches.size(); ++i) launches[i].level = uint32_t(i);
    std::unique_ptr<CodeDevice::Replay> memory;
    const auto run = [&] {
        if (by_graph) return device.replay(memory, launches);
        for (const CodeDevice::Launch& launch : launches) device.launch_code(launch);
    };
    return fastest(device, run) / double(launches_at_once);
}

}  // namespace

double device_bandwidth(CodeDevice& device, size_t most_bytes) {
    double speed = 0;
    unless_refused([&] {
        for (size_t bytes = size_t(1) << 20; bytes <= most_bytes; bytes *= 8) {
            const Type type{Dtype::float32, Shape{int64_t(bytes / sizeof(float))}};
            const Array from = Array::empty(type, device), to = Array::empty(type, device);
            const double seconds =
                fastest(device, [&] { kernel_provider().copy(device, from, to); });
            if (seconds > 0) speed = 2 * double(bytes) / seconds;
            if (seconds >= long_enough) break;
        }
        return speed;
    });
    return speed;  // Where memory is short, that of the largest copy which fitted.
}

double product_speed(Device& device, const std::string& type, int64_t most_rows) {
    const bool tf32 = type == "tf32";
    const Dtype dtype = tf32 ? Dtype::float32 : parse_dtype(type);
    const auto rounding = using_config(&Config::tf32, tf32);
    double best = 0;
    unless_refused([&] {
        for (int64_t n = std::min<int64_t>(256, most_rows); n <= most_rows; n *= 2) {
            const double seconds = seconds_of_product(device, dtype, n);
            if (seconds <= 0) break;
            best = std::max(best, 2.0 * double(n) * double(n) * double(n) / seconds);
            if (seconds >= long_enough) break;
        }
        return best;
    });
    return best;
}

double launch_seconds(CodeDevice& device) {
    return unless_refused([&] { return seconds_of_launches(device, false); });
}

double node_seconds(CodeDevice& device) {
    return unless_refused([&] { return seconds_of_launches(device, true); });
}

}  // namespace catena::profile
