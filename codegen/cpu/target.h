#pragma once

#include <string>

namespace catena::codegen {

/// The target processor: the host, unless limited by CATENA_CPU (avx512, avx2, scalar).
struct Target {
    std::string triple;
    std::string cpu;       ///< LLVM's name: "znver4".
    std::string features;  ///< "+avx512f,-avx512fp16,..."
    int vector_bytes = 16;
    std::string key;       ///< Distinguishes code in caches.
};
const Target& host_target();
/// All processors of a level of program::known_code_levels; CompileError listing them otherwise.
Target level_target(const std::string& level);

}  // namespace catena::codegen
