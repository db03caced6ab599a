#pragma once

#include <string>
#include <utility>
#include <vector>

namespace catena::tool {

/// The processor in a line: "Intel(R) Xeon(R) Platinum 8581C, AVX-512, 2 cores".
std::string processor_line();
/// The version of the compiler that regions use, or why there is none.
std::string compiler_line();
/// Catena's version and the C++ compiler that built it: "0.1.0, built by g++ 12.2.0".
std::string build_line();

/// The facts that measurements depend on, by name: processor, memory, Catena, its compiler, the
/// system and the date.
std::vector<std::pair<std::string, std::string>> circumstances();

}  // namespace catena::tool
