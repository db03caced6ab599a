#include "runtime/program/run/blocked_kernels.h"

#include "runtime/program/schedule/reduction_blocks.h"

namespace catena::program {

BlockedKernels::BlockedKernels(const Schedule& schedule)
    : of_kernel_(schedule.kernels.size(), none), of_buffer_(schedule.buffers.size(), none) {
    for (size_t k = 0; k < schedule.kernels.size(); ++k) {
        const KernelLaunch& kernel = schedule.kernels[k];
        if (kernel.geometry.split <= 0) continue;
        of_kernel_[k] = int(k);
        for (size_t o = kernel.geometry.inputs.size(); o < kernel.operands.size(); ++o)
            if (is_per_block(kernel.geometry, kernel.geometry.operand(int(o))))
                of_buffer_[size_t(kernel.operands[o].buffer)] = int(k);
    }
    for (size_t k = 0; k < schedule.kernels.size(); ++k)
        for (size_t i = 0; i < schedule.kernels[k].geometry.inputs.size() && of_kernel_[k] == none;
             ++i)
            of_kernel_[k] = of_buffer_[size_t(schedule.kernels[k].operands[i].buffer)];
}

namespace {

/// The blocks that a kernel's sizes ask for.
ReductionBlocks blocks_for(const KernelGeometry& geometry) {
    int64_t beside = 1;
    if (geometry.serial > 0) {
        for (int dim = 2; dim <= geometry.serial; ++dim) beside *= geometry.domain[dim];
        return column_blocks(geometry.split_size, beside);
    }
    for (int dim = 1; dim < geometry.domain.rank(); ++dim)
        if (dim != geometry.split) beside *= geometry.domain[dim];
    return reduction_blocks(geometry.split_size, beside, host_elements_per_block, host_most_blocks);
}

}  // namespace

bool divide_into_blocks(Schedule& schedule) {
    const BlockedKernels blocks(schedule);
    for (size_t k = 0; k < schedule.kernels.size(); ++k) {
        KernelGeometry& geometry = schedule.kernels[k].geometry;
        if (geometry.split <= 0) continue;
        const ReductionBlocks wanted = blocks_for(geometry);
        if (wanted.count < 2)
            return false;  // The combination is other code: it has a dimension less.
        for (size_t b = 0; b < schedule.buffers.size(); ++b)
            if (blocks.of_buffer(b) == int(k))
                schedule.buffers[b].bytes =
                    schedule.buffers[b].bytes / size_t(geometry.domain[0]) * size_t(wanted.count);
        geometry.domain[0] = wanted.count;
        geometry.domain[geometry.split] = wanted.size;
        auto set_stride = [&](KernelOperand& operand) {
            if (!BlockedKernels::is_per_block(geometry, operand))
                operand.strides[0] = operand.strides[geometry.split] * wanted.size;
        };
        for (KernelOperand& input : geometry.inputs) set_stride(input);
        for (KernelOperand& output : geometry.outputs) set_stride(output);
    }
    for (size_t k = 0; k < schedule.kernels.size(); ++k) {
        const int from = blocks.of_kernel(k);
        KernelGeometry& geometry = schedule.kernels[k].geometry;
        for (int dim = 0;
             dim < geometry.domain.rank() && from != BlockedKernels::none && from != int(k); ++dim)
            if (geometry.is_reduced(dim))
                geometry.domain[dim] = schedule.kernels[size_t(from)].geometry.domain[0];
    }
    return true;
}

bool has_regular_blocks(const Schedule& schedule) {
    const BlockedKernels blocks(schedule);
    for (size_t k = 0; k < schedule.kernels.size(); ++k) {
        const KernelGeometry& geometry = schedule.kernels[k].geometry;
        if (geometry.split > 0) {
            const ReductionBlocks wanted = blocks_for(geometry);
            if (geometry.domain[0] != wanted.count ||
                geometry.domain[geometry.split] != wanted.size || wanted.count < 2)
                return false;
            continue;
        }
        if (blocks.of_kernel(k) == BlockedKernels::none) continue;
        int reduced = 0;
        for (int dim = 0; dim < geometry.domain.rank(); ++dim) {
            reduced += geometry.is_reduced(dim);
            if (geometry.is_reduced(dim) &&
                geometry.domain[dim] !=
                    schedule.kernels[size_t(blocks.of_kernel(k))].geometry.domain[0])
                return false;
        }
        if (reduced > 1) return false;
    }
    return true;
}

}  // namespace catena::program
