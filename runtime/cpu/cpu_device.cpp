#include <cstring>

#include "runtime/core/array/device.h"
#include "runtime/core/memory/memory_pool.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/blocks/map_kernel.h"
#include "runtime/cpu/blocks/reduce_kernel.h"
#include "runtime/cpu/kernel_errors.h"
#include "runtime/graph/op/op.h"

namespace catena {

namespace {

/// Host memory from the pool; operations run their own kernel or that of their kind.
class CpuDevice final : public Device {
    static void run(const KernelCall& call) {
        if (call.op.kernel) return call.op.kernel(call);
        if (call.op.kind == Kind::map) return run_map(call);
        if (call.op.kind == Kind::reduce) return run_reduce(call);
        throw InternalError(
            fmt::format("{}: the operation has no kernel for the cpu", call.op.name));
    }

public:
    CpuDevice() : Device("cpu", false, true) {}

    Ref<Storage> allocate(size_t bytes) override {
        Ref<Storage> storage = make_ref<Storage>();
        storage->device = this;
        if (bytes == 0) return storage;
        const MemoryBlock block = allocate_memory(bytes);
        storage->data = block.data;
        storage->size_class = block.size_class;
        storage->bytes = bytes;
        return storage;
    }

    void free(Storage* storage) override {
        if (storage->data) free_memory({storage->data, storage->size_class}, storage->bytes);
        delete storage;
    }

    void launch(const KernelCall& call) override {
        with_kernel_errors(call, [&] { run(call); });
    }

    void copy_from_host(const void* host, const Array& to) override {
        if (to.size() > 0) std::memcpy(to.to_fill(), host, size_t(to.size()) * size_of(to.dtype()));
    }

    void copy_to_host(const Array& from, void* host) override {
        const Array dense = from.as_contiguous();
        if (from.size() > 0)
            std::memcpy(host, dense.elements(), size_t(from.size()) * size_of(from.dtype()));
    }
};

}  // namespace

Device& cpu_device() {
    static CpuDevice& instance = *new CpuDevice;
    return instance;
}

}  // namespace catena
