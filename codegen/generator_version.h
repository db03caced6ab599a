#pragma once

#include <string>

namespace catena::codegen {

/// The version of the compiler: the build of the library (or program) with this code.
const std::string& generator_version();

}  // namespace catena::codegen
