#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>

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
    void upload(CUdeviceptr to, const void* from, size_t bytes, CUstream stream);
    /// Returns when the bytes are there, after all earlier work of the stream.
    void download(void* to, CUdeviceptr from, size_t bytes, CUstream stream);

private:
    struct Buffer {
        void* memory = nullptr;
        CUevent done = nullptr;  ///< The last copy out of it.
    };
    Buffer& next();

    std::string device_;
    std::mutex mutex_;
    std::array<Buffer, 4> buffers_;
    size_t turn_ = 0;
};

}  // namespace catena::cuda
