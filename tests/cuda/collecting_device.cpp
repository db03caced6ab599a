#include "tests/cuda/collecting_device.h"

#include <cstring>

#include <sys/mman.h>

#include "runtime/ops/declare/library_role.h"

namespace catena::testing {

std::string CollectedCall::text() const {
    std::string text;
    for (const Type& type : inputs) text += (text.empty() ? "" : ", ") + to_string(type);
    text = op->name + "(" + text + ")";
    for (const Attributes::Entry& entry : attributes.entries())
        text += fmt::format(" {}={}", entry.name, to_string(entry.value));
    return text;
}

Types CollectedCall::outputs() const { return op->type({*op, inputs, attributes}); }

CollectingDevice& CollectingDevice::instance() {
    static CollectingDevice& device = *new CollectingDevice;
    return device;
}

void CollectingDevice::launch(const KernelCall& call) {
    if (library_role_of(call.op) == LibraryRole::none) return;
    CollectedCall collected{.op = &call.op,
                            .inputs = {},
                            .attributes = call.attributes,
                            .scalars = {call.scalars.begin(), call.scalars.end()}};
    for (const Array& input : call.inputs) collected.inputs.push_back(input.type());
    calls_.emplace(collected.text(), std::move(collected));
}

std::vector<const void*> CollectingDevice::load(const std::string&,
                                                std::span<const std::string> names) {
    return std::vector<const void*>(names.size());
}

Ref<Storage> CollectingDevice::allocate(size_t bytes) {
    Ref<Storage> storage = make_ref<Storage>();
    storage->device = this;
    if (bytes == 0) return storage;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail<DeviceError>("collecting: no memory for {} bytes", bytes);
    storage->data = memory;
    storage->bytes = bytes;
    return storage;
}

void CollectingDevice::free(Storage* storage) {
    if (storage->data) munmap(storage->data, storage->bytes);
    delete storage;
}

void CollectingDevice::copy_to_host(const Array& from, void* host) {
    std::memset(host, 0, size_t(from.size()) * size_of(from.dtype()));
}

}  // namespace catena::testing
