#include "runtime/cuda/staging.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/core/system/environment.h"

namespace catena::cuda {

namespace {

constexpr size_t chunk_bytes = 4 << 20;
constexpr size_t alignment = 64;  ///< The alignment of each copy's bytes.
constexpr int64_t default_megabytes = 256;

}  // namespace

Staging::~Staging() {
    for (Chunk& chunk : in_flight_) release(chunk);
    release(filling_);
    release(downloads_);
}

void Staging::release(Chunk& chunk) {
    if (!chunk.memory) return;
    driver().cuEventDestroy(chunk.done);
    driver().cuMemFreeHost(chunk.memory);
}

Staging::Chunk Staging::make_chunk() {
    Chunk chunk;
    void* memory = nullptr;
    check(driver().cuMemAllocHost(&memory, chunk_bytes), device_, "cuMemAllocHost");
    chunk.memory = static_cast<char*>(memory);
    check(driver().cuEventCreate(&chunk.done, CU_EVENT_DISABLE_TIMING), device_, "cuEventCreate");
    return chunk;
}

/// Two at least: one is filled while the other is copied.
size_t Staging::most_chunks() {
    if (most_chunks_ == 0) {
        const int64_t megabytes = environment::whole_number("CATENA_CUDA_STAGING_MB", 8, 1 << 20)
                                      .value_or(default_megabytes);
        most_chunks_ = (size_t(megabytes) << 20) / chunk_bytes;
    }
    return most_chunks_;
}

/// The oldest whose copies are done, else a new one, else the oldest when its copies are done.
Staging::Chunk Staging::next_chunk() {
    if (in_flight_.empty()) return make_chunk();
    Chunk& oldest = in_flight_.front();
    const CUresult reached = driver().cuEventQuery(oldest.done);
    if (reached == CUDA_ERROR_NOT_READY) {
        if (in_flight_.size() < most_chunks()) return make_chunk();
        check(driver().cuEventSynchronize(oldest.done), device_, "cuEventSynchronize");
    } else {
        check(reached, device_, "cuEventQuery");
    }
    Chunk chunk = oldest;
    in_flight_.pop_front();
    chunk.used = 0;
    return chunk;
}

void Staging::upload(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    std::lock_guard lock(uploading_);
    const auto* source = static_cast<const char*>(from);
    if (!filling_.memory) filling_ = make_chunk();
    for (size_t at = 0; at < bytes;) {
        if (filling_.used + std::min(bytes - at, alignment) > chunk_bytes) {
            check(driver().cuEventRecord(filling_.done, stream), device_, "cuEventRecord");
            in_flight_.push_back(std::exchange(filling_, {}));
            filling_ = next_chunk();
        }
        const size_t count = std::min(bytes - at, chunk_bytes - filling_.used);
        char* const memory = filling_.memory + filling_.used;
        std::memcpy(memory, source + at, count);
        check(driver().cuMemcpyHtoDAsync(to + at, memory, count, stream), device_,
              fmt::format("cuMemcpyHtoDAsync of {} bytes", count));
        filling_.used =
            std::min((filling_.used + count + alignment - 1) / alignment * alignment, chunk_bytes);
        at += count;
    }
}

void Staging::download(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    std::lock_guard lock(downloading_);
    auto* target = static_cast<char*>(to);
    if (!downloads_.memory) downloads_ = make_chunk();
    for (size_t at = 0; at < bytes; at += chunk_bytes) {
        const size_t count = std::min(chunk_bytes, bytes - at);
        check(driver().cuMemcpyDtoHAsync(downloads_.memory, from + at, count, stream), device_,
              fmt::format("cuMemcpyDtoHAsync of {} bytes", count));
        // Where a kernel failed earlier, this is the call that says so.
        check(driver().cuStreamSynchronize(stream), device_, "cuStreamSynchronize");
        std::memcpy(target + at, downloads_.memory, count);
    }
}

}  // namespace catena::cuda
