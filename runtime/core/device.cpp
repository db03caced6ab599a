#include "runtime/core/device.h"

#include "runtime/core/error.h"

namespace catena {

namespace {

thread_local Device* device = nullptr;

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

Device& get_device(std::string_view name) {
    for (Device* each : {&cpu_device(), &meta_device()})
        if (each->name() == name) return *each;
    fail<DeviceError>("there is no device '{}'; there are {}, {}", name, cpu_device().name(),
                      meta_device().name());
}

Device& current_device() { return device ? *device : cpu_device(); }

DeviceScope::DeviceScope(Device& next) : previous_(device) { device = &next; }
DeviceScope::~DeviceScope() { device = previous_; }

}  // namespace catena
