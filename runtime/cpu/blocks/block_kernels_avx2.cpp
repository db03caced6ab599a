#if defined(__AVX2__) && defined(__FMA__)
#include "runtime/cpu/blocks/block_kernels.inc"

const catena::BlockKernels* catena::block_kernels_avx2() {
    static constexpr BlockKernels kernels = make_kernels("avx2");
    const bool runs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("f16c");
    return runs ? &kernels : nullptr;
}

#else  // The compiler was not asked for this instruction set: another architecture.
#include "runtime/cpu/blocks/block_kernels.h"

const catena::BlockKernels* catena::block_kernels_avx2() { return nullptr; }
#endif
