#include "runtime/cpu/blocks/block_kernels.inc"

const catena::BlockKernels* catena::block_kernels_default() {
    static constexpr BlockKernels kernels = make_kernels("default");
    return &kernels;
}
