#include "runtime/core/array/device.h"

#include <charconv>

#include "runtime/core/plugin/cuda_plug_in.h"
#include "runtime/core/system/error.h"

namespace catena {

namespace {

thread_local Device* device [[gnu::tls_model("initial-exec")]] = nullptr;

/// Types without elements: every block is empty and nothing runs.
class MetaDevice final : public Device {
public:
    MetaDevice() : Device("meta", true, false) {}
    Ref<Storage> allocate(size_t bytes) override {
        Ref<Storage> storage = make_ref<Storage>();
        storage->bytes = bytes;
        storage->device = this;
        return storage;
    }
    void free(Storage* storage) override { delete storage; }
    void launch(const KernelCall&) override {}
    void copy_from_host(const void*, const Array&) override {}
    void copy_to_host(const Array& from, void*) override {
        fail<DeviceError>("an array on the meta device ({}) has no elements to read",
                          to_string(from.type()));
    }
};

}  // namespace

Device& meta_device() {
    static MetaDevice& instance = *new MetaDevice;
    return instance;
}

namespace {

/// Device `index` of the CUDA plug-in.
Device& cuda_device(std::string_view name) {
    int index = 0;
    const std::string_view digits = name.size() > 5 ? name.substr(5) : "0";
    const char* last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, index);
    if (error != std::errc() || end != last || index < 0)
        fail<DeviceError>("'{}' is not a device; CUDA devices are called cuda:0, cuda:1, ...",
                          name);
    std::string complaint;
    const CudaPlugIn* plug_in = cuda_plug_in(complaint);
    if (!plug_in) fail<DeviceError>("{}: {}", name, complaint);
    return *plug_in->device(index);
}

}  // namespace

Device& get_device(std::string_view name) {
    if (name == "cuda" || name.starts_with("cuda:")) return cuda_device(name);
    for (Device* each : {&cpu_device(), &meta_device()})
        if (each->name() == name) return *each;
    fail<DeviceError>("there is no device '{}'; there are {}, {}, and cuda:0 where there is one",
                      name, cpu_device().name(), meta_device().name());
}

Device& current_device() { return device ? *device : cpu_device(); }

DeviceScope::DeviceScope(Device& next) : previous_(device) { device = &next; }
DeviceScope::~DeviceScope() { device = previous_; }

}  // namespace catena
