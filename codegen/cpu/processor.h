#pragma once

#include <string>

namespace catena::codegen::cpu {

/// The target processor: the host, unless limited by CATENA_CPU (avx512, avx2, scalar).
struct Processor {
    std::string triple;
    std::string cpu;       ///< LLVM's name: "znver4".
    std::string features;  ///< "+avx512f,-avx512fp16,..."
    int vector_bytes = 16;
    std::string key;  ///< Distinguishes code in caches.
};
const Processor& host_processor();
/// All processors of a level of program::known_code_levels; CompileError listing them otherwise.
Processor processor_of_level(const std::string& level);

}  // namespace catena::codegen::cpu
