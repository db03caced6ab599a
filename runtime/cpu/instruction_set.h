#pragma once

namespace catena {

enum class InstructionSet { none, avx2, avx512 };

/// What kernels written for either may use: what the processor has (avx2: and FMA; avx512: F, DQ and VL), limited by CATENA_INSTRUCTION_SET.
InstructionSet instruction_set();

inline bool has_avx512() { return instruction_set() == InstructionSet::avx512; }

}  // namespace catena
