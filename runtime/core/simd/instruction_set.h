#pragma once

namespace catena {

enum class InstructionSet { none, avx2, avx512 };

/// The set's name, as CATENA_CPU has it: "scalar", "avx2", "avx512".
const char* name_of(InstructionSet set);

/// What the processor has.
InstructionSet processor_instruction_set();
/// That, limited by CATENA_CPU, which is read at each call.
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
