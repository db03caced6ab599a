#include "runtime/cpu/block_kernels.h"

#include <cstdlib>
#include <string_view>

namespace catena {

namespace {

const BlockKernels& best_kernels() {
    const char* wish = std::getenv("CATENA_INSTRUCTION_SET");
    const std::string_view wanted = wish ? wish : "avx512";
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
