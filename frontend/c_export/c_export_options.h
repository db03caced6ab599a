#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace catena {

struct CExportOptions {
    std::string name = {};  ///< Prefix of files and functions; the program's name when empty.
    std::string level = "scalar";          ///< Instruction set, see PackageOptions::code_levels.
    std::map<std::string, int64_t> sizes;  ///< A value for every open size.
};

/// What was written and what it needs.
struct CExport {
    std::string name;  ///< The program's name, an identifier of C.
    size_t weight_bytes = 0, arena_bytes = 0, object_bytes = 0;
    /// Numbers of fused groups, and of operations that are not fused: matrix products, gathers and
    /// others.
    int kernels = 0, operations = 0;
    /// Whether it needs libcatena_c. Every program needs libc and libm.
    bool uses_library = false;
};

}  // namespace catena
