#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/cuda/driver.h"

namespace catena::cuda {

/// Pinned host memory through which copies pass, so that they run beside the host. The context must
/// be current.
class Staging {
public:
    explicit Staging(std::string device) : device_(std::move(device)) {}
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    ~Staging();

    /// The host's bytes may change when this returns; the copy is done in the order of the stream.
    /// Waits for earlier copies only where all the memory that this may take,
    /// CATENA_CUDA_STAGING_MB, is full of them, and then for the oldest alone.
    void upload(CUdeviceptr to, const void* from, size_t bytes, CUstream stream);
    /// Returns when the bytes are there, after all earlier work of the stream.
    void download(void* to, CUdeviceptr from, size_t bytes, CUstream stream);

private:
    /// Filled from its beginning by one copy after another. When it is full an event behind the
    /// last of them says when it is free again.
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
    Chunk filling_;                ///< Of uploads; no memory: none yet.
    std::deque<Chunk> in_flight_;  ///< Full ones, the oldest first.
    size_t most_chunks_ = 0;       ///< 0: not asked for yet.
    Chunk downloads_;
};

}  // namespace catena::cuda
