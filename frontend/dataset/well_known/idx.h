#pragma once

#include <string>

#include "runtime/core/array/array.h"

namespace catena {

/// The unsigned bytes of a file in the IDX format, gzipped or not. FileError unless the file is
/// complete, has `rank` dimensions and declares at most 2^30 elements.
Array read_idx(const std::string& path, int rank);

}  // namespace catena
