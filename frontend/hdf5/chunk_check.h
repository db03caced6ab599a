#pragma once

#include <cstdint>
#include <string>

#include <hdf5.h>

namespace catena::hdf5 {

/// Unpacks every chunk of a dataset once and counts its bytes: libhdf5 takes what the filters give
/// for a whole chunk and would read beyond it. Its filters are deflate, shuffle and fletcher32.
/// FileError that begins with `name`.
void check_chunk_contents(hid_t dataset, uint64_t file_bytes, const std::string& name);

}  // namespace catena::hdf5
