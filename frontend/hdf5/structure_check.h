#pragma once

#include <cstdint>
#include <string>

#include "runtime/file/file.h"

namespace catena::hdf5 {

/// Where the numbers of a file are, from its superblock.
struct FileFormat {
    uint64_t base = 0;         ///< What addresses count from: the end of the user's own block.
    size_t address_bytes = 8;
    size_t length_bytes = 8;
};

/// Follows the object headers, groups, heaps and trees of chunks from the object at `root`, and refuses what libhdf5 believes
/// and dies of: addresses outside of the file, and chunks by whose sizes it would divide by zero. FileError naming the byte.
void check_structure(const FileReader& file, const FileFormat& format, uint64_t root);

}  // namespace catena::hdf5
