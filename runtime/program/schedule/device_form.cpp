#include "runtime/program/schedule/device_form.h"

#include <algorithm>

namespace catena::program {

namespace {

/// Kernels take operands of 16 bytes at a time.
constexpr int64_t widest_access = 16;
/// Blocks of 256 threads that a multiprocessor holds at once, times a few for balance.
constexpr int64_t blocks_per_multiprocessor = 32;
/// What every driver takes as a kernel's arguments, in words of 8 bytes.
constexpr size_t most_argument_words = 4096 / sizeof(uint64_t);

}  // namespace

int64_t alignment_at(int64_t byte_offset) {
    return byte_offset == 0 ? widest_access : std::min(byte_offset & -byte_offset, widest_access);
}

bool takes_steps_of(const KernelGeometry& geometry, int vector,
                    std::span<const int64_t> alignments) {
    if (vector == 1) return true;
    const int inner = geometry.domain.rank() - 1;
    if (geometry.domain[inner] % vector != 0) return false;
    if (geometry.split == inner && geometry.split_size % vector != 0) return false;
    for (int o = 0; o < geometry.operand_count(); ++o) {
        const KernelOperand& operand = geometry.operand(o);
        if (operand.strides[inner] != 1) {
            // Scattered elements are loaded one by one, but not stored.
            if (o >= int(geometry.inputs.size()) && operand.strides[inner] != 0) return false;
            continue;
        }
        const int64_t bytes = vector * int64_t(size_of(operand.dtype));
        if (bytes > widest_access) return false;
        if (size_t(o) < alignments.size() && alignments[size_t(o)] % bytes != 0) return false;
        for (int dim = 0; dim < inner; ++dim)
            if (geometry.domain[dim] != 1 && operand.strides[dim] % vector != 0) return false;
    }
    return true;
}

bool needs_wide_index(const KernelGeometry& geometry) {
    constexpr int64_t limit = int64_t(1) << 30;
    if (element_count(geometry.domain) >= limit) return true;
    for (int o = 0; o < geometry.operand_count(); ++o) {
        __int128 reach = 0;
        for (int dim = 0; dim < geometry.domain.rank(); ++dim) {
            __int128 stride = geometry.operand(o).strides[dim], size = geometry.domain[dim];
            if (dim == 0 && geometry.split >= 0)
                size += 1;  // The stride leads past the last block.
            reach += (stride < 0 ? -stride : stride) * size;
        }
        if (reach >= limit) return true;
    }
    return false;
}

bool takes_scalars_by_value(const KernelGeometry& geometry) {
    const size_t numbers = device_numbers(geometry, 1, strides_read(geometry)).size();
    return size_t(geometry.operand_count()) + 1 + numbers + size_t(geometry.scalar_count) <=
           most_argument_words;
}

int64_t group_count(const KernelGeometry& geometry, int vector) {
    const int inner = geometry.domain.rank() - 1;
    int64_t kept = 1;
    for (int dim = 0; dim <= inner; ++dim)
        if (!geometry.is_reduced(dim)) kept *= geometry.domain[dim];
    return geometry.is_reduced(inner) ? kept : kept / vector;
}

int64_t block_count(const KernelGeometry& geometry, const DeviceForm& form) {
    const int64_t each = form.threads / form.reduce_threads;
    return (group_count(geometry, form.vector) + each - 1) / each;
}

uint32_t launch_blocks(int64_t blocks, const CodeDevice& device) {
    return uint32_t(std::min(blocks, device.multiprocessors() * blocks_per_multiprocessor));
}

std::vector<int64_t> device_numbers(const KernelGeometry& geometry, int vector,
                                    std::span<const StrideRead> strides_read) {
    std::vector<int64_t> numbers(geometry.domain.begin(), geometry.domain.end());
    numbers.back() /= vector;
    const bool inner_split = geometry.split == geometry.domain.rank() - 1;
    numbers.push_back(inner_split ? geometry.split_size / vector : geometry.split_size);
    for (const StrideRead& read : strides_read)
        numbers.push_back(geometry.operand(read.operand).strides[read.dim]);
    return numbers;
}

}  // namespace catena::program
