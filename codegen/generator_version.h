#pragma once

#include <string>

namespace catena::codegen {

/// Identifies the compiler's version: the build of the library (or program) with this code.
const std::string& generator_version();

}  // namespace catena::codegen
