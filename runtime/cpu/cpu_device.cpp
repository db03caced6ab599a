#include <cstring>
#include <new>
#include <stdexcept>

#include <dnnl.hpp>

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/memory_pool.h"
#include "runtime/core/out_of_memory.h"
#include "runtime/cpu/map_kernel.h"
#include "runtime/cpu/reduce_kernel.h"
#include "runtime/graph/op.h"

namespace catena {

namespace {

/// "conv2d (float32[8,4,28,28], float32[6,4,5,5] -> float32[8,6,24,24])"
std::string described(const KernelCall& call) {
    const auto list = [](std::span<const Array> arrays) {
        std::string text;
        for (const Array& array : arrays) text += (text.empty() ? "" : ", ") + (array.defined() ? to_string(array.type()) : "none");
        return text;
    };
    return fmt::format("{} ({} -> {})", call.op.name, list(call.inputs), list(call.outputs));
}

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

    /// Converts exceptions of kernels and oneDNN to errors that name the operation and its inputs.
    void launch(const KernelCall& call) override {
        const auto out_of_memory = [&](size_t bytes) {
            throw OutOfMemory(described(call), bytes, cpu_memory_statistics().bytes_reserved);
        };
        for (const Array& output : call.outputs) output.storage()->will_change();
        try {
            run(call);
        } catch (const OutOfMemory& error) {
            out_of_memory(error.bytes);
        } catch (const std::bad_alloc&) {
            out_of_memory(0);
        } catch (const std::length_error&) {  // A std::vector beyond max_size().
            out_of_memory(0);
        } catch (const dnnl::error& error) {
            if (error.status == dnnl_out_of_memory) out_of_memory(0);
            fail<DeviceError>("{}: oneDNN cannot do it: {}", described(call), error.what());
        }
    }

    void copy_from_host(const void* host, const Array& to) override {
        if (to.size() > 0)
            std::memcpy(to.to_fill(), host, size_t(to.size()) * size_of(to.dtype()));
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
