#pragma once

#include <cstddef>
#include <memory>

/// Memory blocks that detect, in tests, writes outside of them and reads before the first write.
/// With CATENA_CHECK_MEMORY=1 every block of the pool, all scratch memory and every temporary of a
/// compiled program is such a block.
///
/// Before a block and behind its last byte lie guards, NaN in every float type, which are compared
/// when it is freed; its own bytes begin as NaN, too, or -1. Under the address sanitizer a block is
/// malloc's own of exactly its size instead, so that also reads outside of it are found, where they
/// happen.
namespace catena::checked_memory {

/// Whether CATENA_CHECK_MEMORY is set, as read once in the process.
bool is_on();

/// A checked block, 64-byte aligned; null where the system has no memory.
void* allocate(size_t bytes);
/// Frees a checked block of `bytes`, the number that was allocated. Ends the process with a message
/// where a guard was overwritten.
void free(void* block, size_t bytes) noexcept;

struct Free {
    size_t bytes;
    void operator()(void* block) const { free(block, bytes); }
};
using Block = std::unique_ptr<void, Free>;

}  // namespace catena::checked_memory
