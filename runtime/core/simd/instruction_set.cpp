#include "runtime/core/simd/instruction_set.h"

#include <algorithm>
#include <string>

#include "runtime/core/system/environment.h"

namespace catena {
namespace {

InstructionSet of_processor() {
#if defined(__x86_64__)
    // No processor that has these lacks what else x86-64-v3 and v4 stand for.
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2"))
        return InstructionSet::none;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    return wide ? InstructionSet::avx512 : InstructionSet::avx2;
#else
    return InstructionSet::none;
#endif
}

InstructionSet of_environment() {
    const std::string most =
        environment::choice("CATENA_CPU", {"avx512", "avx2", "scalar"}).value_or("avx512");
    return most == "avx512" ? InstructionSet::avx512
           : most == "avx2" ? InstructionSet::avx2
                            : InstructionSet::none;
}

}  // namespace

InstructionSet find_instruction_set() { return std::min(of_processor(), of_environment()); }

}  // namespace catena
