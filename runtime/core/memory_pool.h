#pragma once

#include <cstddef>
#include <cstdint>

namespace catena {

/// A block of host memory from the pool, 64-byte aligned; blocks of 2 MiB and more begin on a huge
/// page.
struct MemoryBlock {
    void* data = nullptr;
    uint32_t size_class = 0;  ///< Tells free_memory where the block belongs.
};

/// Host memory of at least `bytes` > 0. Small sizes come from a list of this thread, larger ones
/// from lists shared by all; the system is asked only when there is no cached block. DeviceError
/// when it has none.
MemoryBlock allocate_memory(size_t bytes);
/// Gives a block back, on any thread; `bytes` as asked for.
void free_memory(const MemoryBlock& block, size_t bytes) noexcept;

}  // namespace catena
