#pragma once

#include <cstddef>
#include <cstdint>

namespace catena {

class Array;
struct Storage;
struct Type;

/// A piece of memory that other processes can map, too.
struct SharedBlock {
    void* data = nullptr;  ///< The address in this process; null: no block.
    size_t bytes = 0;
    /// This process's descriptor of the block, through which others may open /proc/PID/fd/FILE; -1:
    /// closed.
    int file = -1;
};

/// A new block, zeroed; no data, and an errno, on failure.
SharedBlock make_shared_block(size_t bytes);
/// Maps descriptor `file` of process `pid`; no data, and an errno, when it is not accessible or has
/// another size.
SharedBlock map_shared_block(int64_t pid, int file, size_t bytes);
/// Closes the descriptor, when no more processes will map the block.
void close_file(SharedBlock& block);
/// Unmaps the block and closes its descriptor.
void unmap_shared_block(SharedBlock& block);

/// An array on the host that other processes of this machine can read; an ordinary one if the
/// system does not support it. The memory returns to a pool that is never freed; it grows to a few
/// times what was in use at once.
Array shared_array(const Type& type);
/// The block behind an array's memory; no data unless it is from shared_array().
SharedBlock shared_block_of(const Storage& storage);

}  // namespace catena
