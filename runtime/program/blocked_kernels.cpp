#include "runtime/program/blocked_kernels.h"

#include "runtime/program/reduction_blocks.h"

namespace catena::program {

BlockedKernels::BlockedKernels(const Schedule& schedule)
    : of_kernel_(schedule.kernels.size(), none), of_buffer_(schedule.buffers.size(), none) {
    for (size_t k = 0; k < schedule.kernels.size(); ++k) {
        const KernelLaunch& kernel = schedule.kernels[k];
        if (kernel.program.split <= 0) continue;
        of_kernel_[k] = int(k);
        for (size_t o = kernel.program.inputs.size(); o < kernel.operands.size(); ++o)
            if (is_per_block(kernel.program, operand_of(kernel.program, int(o)))) of_buffer_[size_t(kernel.operands[o].buffer)] = int(k);
    }
    for (size_t k = 0; k < schedule.kernels.size(); ++k)
        for (size_t i = 0; i < schedule.kernels[k].program.inputs.size() && of_kernel_[k] == none; ++i)
            of_kernel_[k] = of_buffer_[size_t(schedule.kernels[k].operands[i].buffer)];
}

namespace {

/// The blocks that a kernel's sizes ask for.
ReductionBlocks blocks_for(const KernelProgram& program) {
    int64_t beside = 1;
    if (program.serial > 0) {
        for (int dim = 2; dim <= program.serial; ++dim) beside *= program.domain[dim];
        return column_blocks(program.split_size, beside);
    }
    for (int dim = 1; dim < program.domain.rank(); ++dim)
        if (dim != program.split) beside *= program.domain[dim];
    return reduction_blocks(program.split_size, beside, host_elements_per_block, host_most_blocks);
}

}  // namespace

bool divide_into_blocks(Schedule& schedule) {
    const BlockedKernels blocks(schedule);
    for (size_t k = 0; k < schedule.kernels.size(); ++k) {
        KernelProgram& program = schedule.kernels[k].program;
        if (program.split <= 0) continue;
        const ReductionBlocks wanted = blocks_for(program);
        if (wanted.count < 2) return false;  // The combination is other code: it has a dimension less.
        for (size_t b = 0; b < schedule.buffers.size(); ++b)
            if (blocks.of_buffer(b) == int(k))
                schedule.buffers[b].bytes = schedule.buffers[b].bytes / size_t(program.domain[0]) * size_t(wanted.count);
        program.domain[0] = wanted.count;
        program.domain[program.split] = wanted.size;
        auto set_stride = [&](KernelOperand& operand) {
            if (!BlockedKernels::is_per_block(program, operand)) operand.strides[0] = operand.strides[program.split] * wanted.size;
        };
        for (KernelOperand& input : program.inputs) set_stride(input);
        for (KernelProgram::Output& output : program.outputs) set_stride(output.to);
    }
    for (size_t k = 0; k < schedule.kernels.size(); ++k) {
        const int from = blocks.of_kernel(k);
        KernelProgram& program = schedule.kernels[k].program;
        for (int dim = 0; dim < program.domain.rank() && from != BlockedKernels::none && from != int(k); ++dim)
            if (program.is_reduced(dim)) program.domain[dim] = schedule.kernels[size_t(from)].program.domain[0];
    }
    return true;
}

bool has_regular_blocks(const Schedule& schedule) {
    const BlockedKernels blocks(schedule);
    for (size_t k = 0; k < schedule.kernels.size(); ++k) {
        const KernelProgram& program = schedule.kernels[k].program;
        if (program.split > 0) {
            const ReductionBlocks wanted = blocks_for(program);
            if (program.domain[0] != wanted.count || program.domain[program.split] != wanted.size || wanted.count < 2)
                return false;
            continue;
        }
        if (blocks.of_kernel(k) == BlockedKernels::none) continue;
        int reduced = 0;
        for (int dim = 0; dim < program.domain.rank(); ++dim) {
            reduced += program.is_reduced(dim);
            if (program.is_reduced(dim) && program.domain[dim] != schedule.kernels[size_t(blocks.of_kernel(k))].program.domain[0]) return false;
        }
        if (reduced > 1) return false;
    }
    return true;
}

}  // namespace catena::program
