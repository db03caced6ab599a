#include "runtime/core/simd/instruction_set.h"

#include <algorithm>
#include <string>

#include "runtime/core/system/environment.h"

namespace catena {

const char* name_of(InstructionSet set) {
    return set == InstructionSet::avx512 ? "avx512"
           : set == InstructionSet::avx2 ? "avx2"
                                         : "scalar";
}

InstructionSet processor_instruction_set() {
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

InstructionSet find_instruction_set() {
    const InstructionSet found = processor_instruction_set();
    const auto most = environment::choice("CATENA_CPU", {"avx512", "avx2", "scalar"});
    for (InstructionSet set : {InstructionSet::none, InstructionSet::avx2})
        if (most && *most == name_of(set)) return std::min(found, set);
    return found;
}

}  // namespace catena
