#if defined(__AVX512F__) && defined(__AVX512VL__)
#include "runtime/cpu/blocks/block_kernels.inc"

const catena::BlockKernels* catena::block_kernels_avx512() {
    static constexpr BlockKernels kernels = make_kernels("avx512");
    const bool runs = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    return runs ? &kernels : nullptr;
}

#else  // The compiler was not asked for this instruction set: another architecture.
#include "runtime/cpu/blocks/block_kernels.h"

const catena::BlockKernels* catena::block_kernels_avx512() { return nullptr; }
#endif
