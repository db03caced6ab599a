#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/cuda/driver.h"

namespace catena::cuda {

/// Device memory that is kept for the next request. All work of a device is in the order of one
/// stream, so a block may be handed out again at once: whoever gets it uses it later than who gave
/// it back. The context must be current.
class MemoryPool {
public:
    explicit MemoryPool(std::string device) : device_(std::move(device)) {}
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;
    ~MemoryPool();  ///< Gives everything back that is not in use, and all slabs.

    /// At least `bytes` > 0, 256-byte aligned. DeviceError with what is in use, cached and free
    /// when there is no room even after cached blocks were given back.
    CUdeviceptr allocate(size_t bytes, CUstream stream);
    void free(CUdeviceptr block, size_t bytes);

    /// Gives cached blocks back to the driver, when the stream is done with them.
    void release(CUstream stream);
    MemoryStatistics statistics() const;
    void reset_peak();

    /// What is really taken for a request: at most an eighth more, 512 bytes at least.
    static size_t rounded(size_t bytes);

private:
    void release_cached(CUstream stream);
    CUdeviceptr from_driver(size_t bytes, CUstream stream);
    CUdeviceptr from_slab(size_t bytes, CUstream stream);

    std::string device_;
    mutable std::mutex mutex_;
    std::map<size_t, std::vector<CUdeviceptr>> free_;  ///< By rounded size.
    std::vector<CUdeviceptr> slabs_;  ///< Small blocks are cut from them, for good.
    CUdeviceptr slab_ = 0;            ///< What is left of the last.
    size_t slab_left_ = 0;
    MemoryStatistics statistics_;
};

}  // namespace catena::cuda
