#pragma once

#include <cstddef>
#include <cstdint>

namespace catena {

struct Storage;

/// A piece of memory that other processes can map, too.
struct SharedBlock {
    void* data = nullptr;  ///< Null: there is none.
    size_t bytes = 0;
    int file = -1;  ///< As this process calls it: others open /proc/PID/fd/FILE.
};

/// New memory, zeros; no data when the system refuses.
SharedBlock make_shared_block(size_t bytes);
/// The memory that process `pid` calls `file`; no data when it cannot be seen from here or has
/// another size.
SharedBlock map_shared_block(int64_t pid, int file, size_t bytes);
void unmap_shared_block(SharedBlock& block);  ///< And closes the file.

/// The block behind an array's memory; no data unless it is from shared_array().
SharedBlock shared_block_of(const Storage& storage);

}  // namespace catena
