#pragma once

namespace catena {

enum class InstructionSet { none, avx2, avx512 };

/// Asked of the processor and the environment.
InstructionSet find_instruction_set();

/// What kernels written for either may use: what the processor has (avx2: and FMA, as x86-64-v3;
/// avx512: F, BW, DQ and VL, as x86-64-v4), limited by CATENA_CPU.
inline InstructionSet instruction_set() {
    static const InstructionSet found =
        find_instruction_set();  // Asked for each tile: without a call.
    return found;
}

inline bool has_avx512() { return instruction_set() == InstructionSet::avx512; }

}  // namespace catena
