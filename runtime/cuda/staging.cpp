#include "runtime/cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace catena::cuda {

namespace {

constexpr size_t buffer_bytes = 4 << 20;

}  // namespace

/// The buffer whose last copy is longest ago, when that is done.
Staging::Buffer& Staging::next() {
    Buffer& buffer = buffers_[turn_++ % buffers_.size()];
    if (!buffer.memory) {
        check(driver().cuMemAllocHost(&buffer.memory, buffer_bytes), device_, "cuMemAllocHost");
        check(driver().cuEventCreate(&buffer.done, CU_EVENT_DISABLE_TIMING), device_,
              "cuEventCreate");
    } else {
        check(driver().cuEventSynchronize(buffer.done), device_, "cuEventSynchronize");
    }
    return buffer;
}

Staging::~Staging() {
    for (Buffer& buffer : buffers_) {
        if (!buffer.memory) continue;
        driver().cuEventDestroy(buffer.done);
        driver().cuMemFreeHost(buffer.memory);
    }
}

void Staging::upload(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    std::lock_guard lock(mutex_);
    const auto* source = static_cast<const char*>(from);
    for (size_t at = 0; at < bytes; at += buffer_bytes) {
        const size_t count = std::min(buffer_bytes, bytes - at);
        Buffer& buffer = next();
        std::memcpy(buffer.memory, source + at, count);
        check(driver().cuMemcpyHtoDAsync(to + at, buffer.memory, count, stream), device_,
              fmt::format("cuMemcpyHtoDAsync of {} bytes", count));
        check(driver().cuEventRecord(buffer.done, stream), device_, "cuEventRecord");
    }
}

void Staging::download(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    std::lock_guard lock(mutex_);
    auto* target = static_cast<char*>(to);
    for (size_t at = 0; at < bytes; at += buffer_bytes) {
        const size_t count = std::min(buffer_bytes, bytes - at);
        Buffer& buffer = next();
        check(driver().cuMemcpyDtoHAsync(buffer.memory, from + at, count, stream), device_,
              fmt::format("cuMemcpyDtoHAsync of {} bytes", count));
        // Where a kernel failed earlier, this is the call that says so.
        check(driver().cuStreamSynchronize(stream), device_, "cuStreamSynchronize");
        std::memcpy(target + at, buffer.memory, count);
    }
}

}  // namespace catena::cuda
