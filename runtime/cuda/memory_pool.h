#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/cuda/segment_blocks.h"

namespace catena::cuda {

/// A pool of device memory, which caches freed blocks. All work of a device is in the order of one
/// stream, so a freed block may be handed out again at once: its next use comes later in the stream
/// than its last one. The context must be current.
///
/// Small blocks have sizes in steps, and are cut from slabs for good. Large ones are cut from
/// segments and become one again with their neighbours, so that requests of ever other sizes share
/// the same memory.
class MemoryPool {
public:
    explicit MemoryPool(std::string device) : device_(std::move(device)) {}
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;
    /// Returns to the driver everything that is not in use, and all slabs.
    ~MemoryPool();

    /// A block of at least `bytes` > 0, 256-byte aligned. DeviceError with the bytes in use and
    /// free when there is no room even after unused segments were returned.
    CUdeviceptr allocate(size_t bytes, CUstream stream);
    void free(CUdeviceptr block, size_t bytes);

    /// Returns unused segments to the driver, when the stream is done with them.
    void release(CUstream stream);
    MemoryStatistics statistics() const;
    void reset_peak();
    /// Bytes that could be allocated now: free on the device or cached here, in whatever pieces.
    size_t available() const;

    /// The size that is reserved for a request: at most an eighth more for a small one, the next
    /// multiple of 512 bytes for a large one.
    static size_t rounded(size_t bytes);

private:
    CUdeviceptr allocate_small(size_t bytes, CUstream stream);
    CUdeviceptr allocate_large(size_t bytes, CUstream stream);
    /// Allocates a segment or a slab; 0 where the driver has no room for it.
    CUdeviceptr from_driver(size_t bytes);
    void give_back_unused(CUstream stream, size_t wanted);
    [[noreturn]] void fail_for_want_of(size_t bytes) const;

    std::string device_;
    mutable std::mutex mutex_;
    std::map<size_t, std::vector<CUdeviceptr>> small_;  ///< Free small blocks, by rounded size.
    std::vector<CUdeviceptr> slabs_;
    CUdeviceptr slab_ = 0;  ///< The unused rest of the last slab.
    size_t slab_left_ = 0;
    SegmentBlocks large_;
    size_t segment_bytes_ = 0;  ///< Bytes of all segments.
    MemoryStatistics statistics_;
};

}  // namespace catena::cuda
