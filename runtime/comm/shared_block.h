#pragma once

#include <cstddef>
#include <cstdint>

namespace catena {

struct Storage;

/// A piece of memory that other processes can map, too.
struct SharedBlock {
    void* data = nullptr;  ///< Null: no block.
    size_t bytes = 0;
    int file = -1;  ///< This process's descriptor, while others may open /proc/PID/fd/FILE.
};

/// New memory, zeroed; no data, and an errno, on failure.
SharedBlock make_shared_block(size_t bytes);
/// Maps descriptor `file` of process `pid`; no data, and an errno, when it is not accessible or has
/// another size.
SharedBlock map_shared_block(int64_t pid, int file, size_t bytes);
void close_file(SharedBlock& block);          ///< When no more processes will map it.
void unmap_shared_block(SharedBlock& block);  ///< Also closes the file.

/// The block behind an array's memory; no data unless it is from shared_array().
SharedBlock shared_block_of(const Storage& storage);

}  // namespace catena
