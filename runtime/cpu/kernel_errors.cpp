#include "runtime/cpu/kernel_errors.h"

#include <new>
#include <stdexcept>

#include <dnnl.hpp>

#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// "conv2d (float32[8,4,28,28], float32[6,4,5,5] -> float32[8,6,24,24])"
std::string described(const KernelCall& call) {
    const auto list = [](std::span<const Array> arrays) {
        std::string text;
        for (const Array& array : arrays)
            text +=
                (text.empty() ? "" : ", ") + (array.defined() ? to_string(array.type()) : "none");
        return text;
    };
    return fmt::format("{} ({} -> {})", call.op.name, list(call.inputs), list(call.outputs));
}

}  // namespace

void run_with_kernel_errors(const KernelCall& call, void (*run)(void*), void* context) {
    const auto out_of_memory = [&](size_t bytes) {
        throw OutOfMemory(described(call), bytes, cpu_memory_statistics().bytes_reserved);
    };
    for (const Array& output : call.outputs) output.storage()->will_change();
    try {
        run(context);
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

}  // namespace catena
