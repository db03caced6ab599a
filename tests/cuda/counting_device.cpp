#include "tests/cuda/counting_device.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>

namespace catena::testing {

CountingDevice::CountingDevice(std::string name) : CodeDevice(std::move(name)) {
    for (auto* make : {&cuda::make_contractions, &cuda::make_windows})
        if (auto provider = make({*this, nullptr})) libraries_.push_back(std::move(provider));
}

std::vector<const void*> CountingDevice::load(const std::string&,
                                              std::span<const std::string> names) {
    static const char anything = 0;
    return std::vector<const void*>(names.size(), &anything);
}

bool CountingDevice::has_library_for(const KernelCall& call) {
    return std::ranges::any_of(libraries_, [&](auto& library) { return library->takes(call); });
}

bool CountingDevice::launch_in_library(const KernelCall& call) {
    const bool taken = has_library_for(call);
    counts_.taken += taken;
    return taken;
}

Ref<Storage> CountingDevice::allocate(size_t bytes) {
    Ref<Storage> storage = make_ref<Storage>();
    storage->device = this;
    if (bytes == 0) return storage;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail<DeviceError>("{}: no memory for {} bytes", name(), bytes);
    storage->data = memory;
    storage->bytes = bytes;
    return storage;
}

void CountingDevice::free(Storage* storage) {
    if (storage->data) munmap(storage->data, storage->bytes);
    delete storage;
}

void CountingDevice::copy_to_host(const Array& from, void* host) {
    ++counts_.to_host;
    std::memset(host, 0, size_t(from.size()) * size_of(from.dtype()));
}

}  // namespace catena::testing
