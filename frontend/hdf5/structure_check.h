#pragma once

#include <cstdint>
#include <string>

#include "runtime/file/file.h"

namespace catena::hdf5 {

/// Sizes and offsets from a file's superblock.
struct FileFormat {
    uint64_t base = 0;  ///< The base of addresses: the end of the user block.
    size_t address_bytes = 8;
    size_t length_bytes = 8;
};

/// Follows the object headers, groups, heaps and trees of chunks from the object at `root`, and
/// rejects what would crash libhdf5: addresses outside of the file, and chunk sizes that lead to a
/// division by zero. FileError naming the offset.
void check_structure(const FileReader& file, const FileFormat& format, uint64_t root);

}  // namespace catena::hdf5
