#pragma once

#include <cstdint>
#include <string_view>

namespace catena::hdf5 {

/// The checksum of headers, trees and heaps: Jenkins' lookup3
/// (http://burtleburtle.net/bob/c/lookup3.c).
uint32_t metadata_checksum(std::string_view bytes);
/// The checksum of chunks: Fletcher's, over big-endian numbers of 16 bits.
uint32_t fletcher32(std::string_view bytes);

}  // namespace catena::hdf5
