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

/// Reads the header of the object at `address` and refuses chunks without elements: libhdf5 divides by their sizes when the
/// dataset is opened, which ends the process. FileError naming `who`.
void check_chunks(const FileReader& file, const FileFormat& format, uint64_t address, const std::string& who);

}  // namespace catena::hdf5
