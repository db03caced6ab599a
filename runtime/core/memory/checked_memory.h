#pragma once

#include <cstddef>
#include <memory>

/// Blocks that show what is written outside of them or read before it is written, for tests. With
/// CATENA_CHECK_MEMORY=1 all of the pool's are of this kind, and so is every piece of scratch
/// memory and every temporary of a compiled program.
///
/// Before a block and behind its last byte lie guards, NaN in every float type, which are compared
/// when it is freed; its own bytes begin as NaN, too, or -1. Under the address sanitizer a block is
/// malloc's own of exactly its size instead, so that also reads outside of it are found, where they
/// happen.
namespace catena::checked_memory {

/// Whether CATENA_CHECK_MEMORY is set. Read once.
bool is_on();

/// 64-byte aligned; null where the system has no memory.
void* allocate(size_t bytes);
/// Ends the process with a message where a guard was overwritten. `bytes` as allocated.
void free(void* block, size_t bytes) noexcept;

struct Free {
    size_t bytes;
    void operator()(void* block) const { free(block, bytes); }
};
using Block = std::unique_ptr<void, Free>;

}  // namespace catena::checked_memory
