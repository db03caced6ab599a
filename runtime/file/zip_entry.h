#pragma once

#include <cstdint>
#include <string>

namespace catena {

/// One file inside a zip archive.
struct ZipEntry {
    /// The file's name within the archive.
    std::string name;
    /// Whether it is compressed.
    bool deflated = false;
    /// The checksum of its bytes.
    uint32_t crc = 0;
    /// The number of bytes in the archive.
    uint64_t packed_bytes = 0;
    /// The number of its bytes.
    uint64_t bytes = 0;
    /// Where it begins in the archive.
    uint64_t header_offset = 0;
};

}  // namespace catena
