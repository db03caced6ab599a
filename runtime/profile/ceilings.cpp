#include "runtime/profile/ceilings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/core/array/code_device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/plugin/cuda_plug_in.h"
#include "runtime/core/system/code_identity.h"
#include "runtime/core/system/host_lock.h"
#include "runtime/core/system/processor.h"
#include "runtime/profile/machine_speed.h"
#include "runtime/file/disk_cache.h"
#include "runtime/profile/measure_device.h"

namespace catena::profile {
namespace {

constexpr const char* host = "cpu";
constexpr const char* product_types[] = {"float32", "tf32", "bfloat16", "float16", "float64"};
/// The traffic beyond which the host's arrays lie in no cache of most machines; more would take
/// longer to measure.
constexpr double beyond_caches = double(1 << 27);

/// The device with code of that name; null for the host and for a device that this process does not
/// reach.
CodeDevice* code_device(const std::string& name) {
    if (name == host) return nullptr;
    try {
        return dynamic_cast<CodeDevice*>(&get_device(name));
    } catch (const DeviceError&) {
        return nullptr;
    }
}

/// The build, too: the products are its own.
std::string host_machine() {
    return fmt::format("{}, {} threads, {}", processor_name(), thread_count(),
                       build_of(reinterpret_cast<const void*>(&host_machine)));
}

/// Two cards of one kind are one machine. Empty where there is no such device.
std::string machine_of(const std::string& device) {
    if (device == host) return host_machine();
    constexpr std::string_view kind = "cuda:";
    if (!device.starts_with(kind) || !code_device(device)) return "";
    std::string complaint;
    const CudaPlugIn* plug_in = cuda_plug_in(complaint);
    int index = 0;
    std::from_chars(device.data() + kind.size(), device.data() + device.size(), index);
    return plug_in ? plug_in->machine(index) : "";
}

bool is_measured(double value) { return std::isfinite(value) && value > 0; }

}  // namespace

Ceilings::Ceilings(std::string device, std::string machine, DiskCache& disk)
    : device_(std::move(device)), machine_(std::move(machine)), disk_(disk) {
    read();
}

Ceilings& Ceilings::of(const std::string& device) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& all = *new std::map<std::string, std::unique_ptr<Ceilings>>;
    const std::string key = device == host ? fmt::format("{} {}", device, thread_count()) : device;
    std::lock_guard lock(mutex);
    std::unique_ptr<Ceilings>& found = all[key];
    if (!found) found = std::make_unique<Ceilings>(device, machine_of(device));
    return *found;
}

void Ceilings::read() {
    if (machine_.empty() || !disk_.on()) return;
    const std::optional<std::string> text = disk_.find(key());
    if (!text) return;
    const auto kept = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!kept.is_object()) return;
    for (const auto& [name, value] : kept.items())
        if (value.is_number() && is_measured(value.get<double>()))
            values_[name] = value.get<double>();
}

void Ceilings::keep() {
    if (machine_.empty() || !disk_.on()) return;
    nlohmann::json kept = nlohmann::json::object();
    for (const auto& [name, value] : values_)
        if (is_measured(value)) kept[name] = value;
    disk_.store(key(), kept.dump());
}

double Ceilings::measured(const std::string& name, const Measure& measure) {
    double value = measure();
    if (!is_measured(value)) value = 0;
    values_[name] = value;
    if (value > 0) keep();
    return value;
}

double Ceilings::find(const std::string& name, Ask ask, const Measure& measure) {
    {
        std::lock_guard lock(mutex_);
        const auto found = values_.find(name);
        if (found != values_.end()) return found->second;
        if (ask == Ask::known) return 0;
    }
    const WithoutHostLock others_may_run;
    std::lock_guard lock(mutex_);
    const auto found = values_.find(name);  // By another thread meanwhile.
    return found != values_.end() ? found->second : measured(name, measure);
}

double Ceilings::bandwidth(double bytes, Ask ask) {
    if (device_ == host) {
        const int power = bytes > 1 ? int(std::log2(std::min(bytes, beyond_caches))) : 0;
        return find(fmt::format("memory 2^{}", power), ask,
                    [power] { return profile::bandwidth(std::exp2(power)); });
    }
    return find("memory", ask, [this] {
        CodeDevice* const device = code_device(device_);
        return device ? device_bandwidth(*device) : 0;
    });
}

double Ceilings::products(const std::string& type, Ask ask) {
    if (device_ == host && type == "tf32") return 0;
    return find("products " + type, ask, [this, type] {
        if (device_ == host) return product_speed(cpu_device(), type);
        CodeDevice* const device = code_device(device_);
        return device ? product_speed(*device, type) : 0;
    });
}

double Ceilings::launch_seconds(Ask ask) {
    return find("launch", ask, [this] {
        CodeDevice* const device = code_device(device_);
        return device ? profile::launch_seconds(*device) : 0;
    });
}

double Ceilings::node_seconds(Ask ask) {
    return find("node", ask, [this] {
        CodeDevice* const device = code_device(device_);
        return device ? profile::node_seconds(*device) : 0;
    });
}

void Ceilings::measure_all() {
    {
        std::lock_guard lock(mutex_);
        values_.clear();
    }
    bandwidth(beyond_caches);
    for (const char* type : product_types) products(type);
    launch_seconds();
    node_seconds();
}

std::map<std::string, double> Ceilings::known() {
    std::lock_guard lock(mutex_);
    return values_;
}

void Ceilings::set(const std::string& name, double value) {
    std::lock_guard lock(mutex_);
    values_[name] = value;
}

MachineShares shares_of(const LaunchCost& cost, double seconds, Ceilings::Ask ask) {
    MachineShares shares;
    if (!(seconds > 0) || cost.device.empty()) return shares;
    Ceilings& ceilings = Ceilings::of(cost.device);
    const auto share = [seconds](double amount, double most) {
        return most > 0 ? amount / (seconds * most) : 0;
    };
    if (cost.bytes > 0)
        shares.memory = share(cost.bytes, ceilings.bandwidth(cost.program_bytes, ask));
    if (cost.operations > 0)
        shares.products = share(cost.operations, ceilings.products(cost.product_type, ask));
    if (cost.device != host) shares.launch = ceilings.launch_seconds(ask) / seconds;
    return shares;
}

}  // namespace catena::profile
