#pragma once

#include <cstddef>
#include <cstdint>

namespace catena {

/// A block of host memory from the pool, 64-byte aligned; blocks of 2 MiB and more begin on a huge
/// page.
struct MemoryBlock {
    void* data = nullptr;
    uint32_t size_class = 0;  ///< The pool's list that the block belongs to, for free_memory().
};

/// Host memory of at least `bytes` > 0. Small sizes come from a list of this thread, larger ones
/// from lists shared by all; the system is asked only when no block is cached. DeviceError when it
/// has no memory.
MemoryBlock allocate_memory(size_t bytes);
/// Returns a block, on any thread; `bytes` as requested.
void free_memory(const MemoryBlock& block, size_t bytes) noexcept;

/// While alive, this thread allocates short-lived blocks: any cached block that is large enough
/// serves, and cached blocks that are too small are joined to a new one. So programs of several
/// sizes take the memory of the largest arena, not the sum of all.
class ShortLivedMemory {
public:
    ShortLivedMemory();
    ~ShortLivedMemory();
    ShortLivedMemory(const ShortLivedMemory&) = delete;
    ShortLivedMemory& operator=(const ShortLivedMemory&) = delete;

private:
    bool before_;
};

/// Suspends a ShortLivedMemory of this thread while alive: for blocks that stay when the call has
/// ended.
class LongLivedMemory {
public:
    LongLivedMemory();
    ~LongLivedMemory();
    LongLivedMemory(const LongLivedMemory&) = delete;
    LongLivedMemory& operator=(const LongLivedMemory&) = delete;

private:
    bool before_;
};

}  // namespace catena
