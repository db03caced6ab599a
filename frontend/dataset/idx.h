#pragma once

#include <string>

#include "runtime/core/array.h"

namespace catena {

/// The unsigned bytes of a file in the IDX format, gzipped or not. FileError, with what is wrong, unless the file is
/// whole, has `rank` dimensions and announces at most 2^30 elements.
Array read_idx(const std::string& path, int rank);

}  // namespace catena
