#include "runtime/program/device_form.h"

#include <algorithm>

namespace catena::program {

namespace {

/// Kernels take operands of 16 bytes at a time.
constexpr int64_t widest_access = 16;
/// Blocks of 256 threads that a multiprocessor holds at once, times a few for balance.
constexpr int64_t blocks_per_multiprocessor = 32;
/// What every driver takes as a kernel's arguments, in words of 8 bytes.
constexpr size_t most_argument_words = 4096 / sizeof(uint64_t);

int operand_count(const KernelProgram& program) { return int(program.inputs.size() + program.outputs.size()); }

}  // namespace

int64_t alignment_at(int64_t byte_offset) {
    return byte_offset == 0 ? widest_access : std::min(byte_offset & -byte_offset, widest_access);
}

bool takes_steps_of(const KernelProgram& program, int vector, std::span<const int64_t> alignments) {
    if (vector == 1) return true;
    const int inner = program.domain.rank() - 1;
    if (program.domain[inner] % vector != 0) return false;
    if (program.split == inner && program.split_size % vector != 0) return false;
    for (int o = 0; o < operand_count(program); ++o) {
        const KernelOperand& operand = operand_of(program, o);
        if (operand.strides[inner] != 1) {
            // Scattered elements are loaded one by one, but not stored.
            if (o >= int(program.inputs.size()) && operand.strides[inner] != 0) return false;
            continue;
        }
        const int64_t bytes = vector * int64_t(size_of(operand.dtype));
        if (bytes > widest_access) return false;
        if (size_t(o) < alignments.size() && alignments[size_t(o)] % bytes != 0) return false;
        for (int dim = 0; dim < inner; ++dim)
            if (program.domain[dim] != 1 && operand.strides[dim] % vector != 0) return false;
    }
    return true;
}

bool needs_wide_index(const KernelProgram& program) {
    constexpr int64_t limit = int64_t(1) << 30;
    if (element_count(program.domain) >= limit) return true;
    for (int o = 0; o < operand_count(program); ++o) {
        __int128 reach = 0;
        for (int dim = 0; dim < program.domain.rank(); ++dim) {
            __int128 stride = operand_of(program, o).strides[dim], size = program.domain[dim];
            if (dim == 0 && program.split >= 0) size += 1;  // The stride leads past the last block.
            reach += (stride < 0 ? -stride : stride) * size;
        }
        if (reach >= limit) return true;
    }
    return false;
}

bool takes_scalars_by_value(const KernelProgram& program) {
    const size_t numbers = device_numbers(program, 1, strides_read(program)).size();
    return size_t(operand_count(program)) + 1 + numbers + size_t(program.scalar_count) <= most_argument_words;
}

int64_t group_count(const KernelProgram& program, int vector) {
    const int inner = program.domain.rank() - 1;
    int64_t kept = 1;
    for (int dim = 0; dim <= inner; ++dim)
        if (!program.is_reduced(dim)) kept *= program.domain[dim];
    return program.is_reduced(inner) ? kept : kept / vector;
}

int64_t block_count(const KernelProgram& program, const DeviceForm& form) {
    const int64_t each = form.threads / form.reduce_threads;
    return (group_count(program, form.vector) + each - 1) / each;
}

uint32_t launch_blocks(int64_t blocks, const CodeDevice& device) {
    return uint32_t(std::min(blocks, device.multiprocessors() * blocks_per_multiprocessor));
}

std::vector<int64_t> device_numbers(const KernelProgram& program, int vector,
                                    std::span<const KernelLaunch::StrideRead> strides_read) {
    std::vector<int64_t> numbers(program.domain.begin(), program.domain.end());
    numbers.back() /= vector;
    const bool inner_split = program.split == program.domain.rank() - 1;
    numbers.push_back(inner_split ? program.split_size / vector : program.split_size);
    for (const KernelLaunch::StrideRead& read : strides_read)
        numbers.push_back(operand_of(program, read.operand).strides[read.dim]);
    return numbers;
}

}  // namespace catena::program
