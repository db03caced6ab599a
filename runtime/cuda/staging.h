#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/cuda/driver.h"

namespace catena::cuda {

/// Pinned host memory through which copies pass, so that they run concurrently with the host. The
/// context must be current.
class Staging {
public:
    explicit Staging(std::string device) : device_(std::move(device)) {}
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    ~Staging();

    /// Copies to the device in the order of the stream; the host's bytes may change when this
    /// returns. Waits for earlier copies only if they fill all the memory that this may take,
    /// CATENA_CUDA_STAGING_MB, and then for the oldest alone.
    void upload(CUdeviceptr to, const void* from, size_t bytes, CUstream stream);
    /// Copies to the host after all earlier work of the stream; returns when the bytes are there.
    void download(void* to, CUdeviceptr from, size_t bytes, CUstream stream);

private:
    /// A piece of the memory, filled from its beginning by one copy after another. When it is full,
    /// an event behind the last of them tells when it is free again.
    struct Chunk {
        char* memory = nullptr;
        size_t used = 0;
        CUevent done = nullptr;
    };
    Chunk make_chunk();
    Chunk next_chunk();
    size_t most_chunks();
    void release(Chunk& chunk);

    std::string device_;
    std::mutex uploading_, downloading_;
    Chunk filling_;                ///< The chunk that uploads fill now; without memory at first.
    std::deque<Chunk> in_flight_;  ///< Full chunks, the oldest first.
    /// The largest number of chunks; 0: the environment was not asked yet.
    size_t most_chunks_ = 0;
    Chunk downloads_;
};

}  // namespace catena::cuda
