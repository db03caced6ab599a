#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace catena {

constexpr uint64_t tar_record_bytes = 512;

/// What stands before the content of a file in a tar archive: its header (ustar), behind one of pax
/// where the name is long or has letters beyond ASCII, or the size does not fit. Owner and time are
/// zeros, so that equal files are equal archives.
std::string tar_header(std::string_view name, uint64_t bytes);
/// The zeros that fill the last record of a content.
std::string tar_padding(uint64_t bytes);
/// What ends an archive.
std::string tar_end();

}  // namespace catena
