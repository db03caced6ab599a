#pragma once

#include <map>
#include <string>

#include "runtime/core/array/array.h"

namespace catena {

/// The numeric arrays of a MATLAB 5 file (versions 5 to 7, "MATLAB 5.0 MAT-file Level 5"), by name,
/// in the type in which they are stored. MATLAB stores columns first: axes are in the opposite
/// order, so an m x n matrix is an array [n, m]. FileError naming file and offset for anything that
/// is malformed, or is no real numeric array.
std::map<std::string, Array> read_mat5(const std::string& path);

}  // namespace catena
