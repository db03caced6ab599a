#pragma once

#include <cstdint>
#include <string_view>

namespace catena::hdf5 {

/// Of headers, trees and heaps: Jenkins' lookup3 (http://burtleburtle.net/bob/c/lookup3.c).
uint32_t metadata_checksum(std::string_view bytes);
/// Of chunks: Fletcher's, of numbers of 16 bits with the large end first.
uint32_t fletcher32(std::string_view bytes);

}  // namespace catena::hdf5
