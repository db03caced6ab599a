#include "runtime/cpu/blocks/block_kernels.h"

#include "runtime/core/simd/instruction_set.h"

namespace catena {

namespace {

const BlockKernels& best_kernels() {
    if (has_avx512())
        if (const BlockKernels* kernels = block_kernels_avx512()) return *kernels;
    if (instruction_set() != InstructionSet::none)
        if (const BlockKernels* kernels = block_kernels_avx2()) return *kernels;
    return *block_kernels_default();
}

}  // namespace

const BlockKernels& block_kernels() {
    static const BlockKernels& kernels = best_kernels();
    return kernels;
}

}  // namespace catena
