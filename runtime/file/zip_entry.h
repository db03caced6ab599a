#pragma once

#include <cstdint>
#include <string>

namespace catena {

/// One file inside a zip archive.
struct ZipEntry {
    std::string name;
    bool deflated = false;
    uint32_t crc = 0;
    uint64_t packed_bytes = 0;
    uint64_t bytes = 0;
    uint64_t header_offset = 0;
};

}  // namespace catena
