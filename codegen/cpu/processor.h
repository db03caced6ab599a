#pragma once

#include <string>

namespace catena::codegen::cpu {

/// The target processor: the host, unless limited by CATENA_CPU (avx512, avx2, scalar).
struct Processor {
    std::string triple;
    std::string cpu;       ///< LLVM's name of the processor: "znver4".
    std::string features;  ///< LLVM's list of features: "+avx512f,-avx512fp16,...".
    int vector_bytes = 16;
    std::string key;  ///< A text by which caches distinguish code.
};
const Processor& host_processor();
/// The processor that stands for all of a level of program::known_code_levels; CompileError listing
/// the levels otherwise.
Processor processor_of_level(const std::string& level);

}  // namespace catena::codegen::cpu
