#include "runtime/cpu/block_kernels.h"

#include <string>

#include "runtime/core/environment.h"

namespace catena {

namespace {

const BlockKernels& best_kernels() {
    const std::string wanted =
        environment::choice("CATENA_INSTRUCTION_SET", {"avx512", "avx2", "default"}).value_or("avx512");
    if (wanted == "avx512")
        if (const BlockKernels* kernels = block_kernels_avx512()) return *kernels;
    if (wanted != "default")
        if (const BlockKernels* kernels = block_kernels_avx2()) return *kernels;
    return *block_kernels_default();
}

}  // namespace

const BlockKernels& block_kernels() {
    static const BlockKernels& kernels = best_kernels();
    return kernels;
}

}  // namespace catena
