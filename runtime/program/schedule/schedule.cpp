#include "runtime/program/schedule/schedule.h"

#include <algorithm>

#include "runtime/core/system/hash.h"
#include "runtime/program/schedule/different_kernels.h"
#include "runtime/program/schedule/memory_planner.h"

namespace catena::program {

bool View::contiguous() const {
    if (element_count(type.shape) == 0) return true;
    int64_t expected = 1;
    for (int dim = type.shape.rank() - 1; dim >= 0; --dim) {
        if (type.shape[dim] != 1 && strides[dim] != expected) return false;
        expected *= type.shape[dim];
    }
    return true;
}

std::string code_form(const KernelLaunch& kernel) {
    const KernelGeometry& geometry = kernel.geometry;
    const int rank = geometry.domain.rank();
    std::string text =
        fmt::format("{} {} {} {} {} {} {} {}:", rank, geometry.reduced, geometry.split,
                    geometry.serial, geometry.inputs.size(), geometry.outputs.size(),
                    kernel.scalars.size(), kernel.row_scratch_rows);
    for (int o = 0; o < int(kernel.operands.size()); ++o) {
        const KernelOperand& operand = geometry.operand(o);
        text += fmt::format(" {}", name_of(operand.dtype));
        for (int dim = 0; dim < operand.strides.rank(); ++dim) {
            const bool is_read = std::any_of(
                kernel.strides_read.begin(), kernel.strides_read.end(),
                [&](const StrideRead& read) { return read.operand == o && read.dim == dim; });
            text += is_read ? ",*" : fmt::format(",{}", operand.strides[dim]);
        }
    }
    for (const StrideRead& read : kernel.strides_read)
        text += fmt::format(" {}.{}", read.operand, read.dim);
    return fmt::format("{:016x}", fnv1a(text));
}

void check_same_kernels(std::span<const Schedule> runs) {
    for (const Schedule& other : runs) {
        const std::vector<KernelLaunch>&some = runs[0].kernels, &others = other.kernels;
        size_t k = 0;
        while (k < some.size() && k < others.size() && some[k].key == others[k].key) ++k;
        if (k == some.size() && k == others.size()) continue;
        const OperationList& operations =
            k < some.size() ? some[k].operations : others[k].operations;
        fail<DifferentKernels>(
            "save: the program needs other kernels at other open sizes, the first of them for {}; "
            "give one of the sizes",
            operations.size() ? to_string(*operations.begin()) : "an operation");
    }
}

void size_kernel(KernelLaunch& kernel) {
    const KernelGeometry& geometry = kernel.geometry;
    const KernelShape shape = shape_of(geometry);
    std::vector<int64_t>& numbers = kernel.numbers;
    numbers.assign(geometry.domain.begin(), geometry.domain.end());
    numbers.push_back(shape.block);
    numbers.push_back(shape.blocks);
    numbers.push_back(geometry.split_size);
    numbers.push_back(row_scratch_stride(geometry));
    for (const StrideRead& read : kernel.strides_read)
        numbers.push_back(geometry.operand(read.operand).strides[read.dim]);
    kernel.units = shape.units;
    kernel.unit_nanoseconds = 20 + kernel.element_nanoseconds *
                                       double(element_count(geometry.domain)) /
                                       double(std::max<int64_t>(shape.units, 1));
    kernel.row_scratch_bytes = kernel.row_scratch_rows * row_scratch_stride(geometry);
}

size_t bytes_of(const Schedule& schedule) {
    size_t bytes = schedule.buffers.size() * sizeof(Buffer) +
                   schedule.launches.size() * sizeof(Launch) +
                   schedule.results.size() * sizeof(Result);
    for (const KernelLaunch& kernel : schedule.kernels)
        bytes += sizeof(kernel) + kernel.key.size() +
                 kernel.operands.size() * (sizeof(KernelLaunch::Operand) + sizeof(KernelOperand)) +
                 kernel.numbers.size() * sizeof(int64_t) + kernel.steps.size() * sizeof(int);
    for (const LibraryCall& call : schedule.library_calls)
        bytes += sizeof(call) + call.steps.size() * sizeof(int) +
                 (call.inputs.size() + call.outputs.size()) *
                     (sizeof(View) + sizeof(Array) + sizeof(ArrayBody));
    return bytes;
}

void place_buffers(Schedule& schedule) {
    // Buffers written in place of each other are one block, live from the first write to the last
    // use.
    std::vector<int> block(schedule.buffers.size(), -1);
    std::vector<Lifetime> lifetimes;
    auto block_of = [&](int b) {
        while (schedule.buffers[b].over >= 0) b = schedule.buffers[b].over;
        if (block[b] < 0) {
            block[b] = int(lifetimes.size());
            lifetimes.push_back({schedule.buffers[b].first, schedule.buffers[b].last,
                                 int64_t(schedule.buffers[b].bytes)});
        }
        return block[b];
    };
    std::vector<std::pair<int, int>> placed;  // Buffer and block.
    for (int b = 0; b < int(schedule.buffers.size()); ++b) {
        const Buffer& buffer = schedule.buffers[b];
        if (buffer.place != Buffer::Place::arena || buffer.first < 0 || buffer.bytes == 0) continue;
        placed.emplace_back(b, block_of(b));
        Lifetime& lifetime = lifetimes[placed.back().second];
        lifetime.last = std::max(lifetime.last, buffer.last);
    }
    MemoryPlan plan = plan_memory(lifetimes, 64, schedule.cut.launch);
    schedule.cut.saved_bytes = size_t(plan.kept_bytes);
    for (auto [b, at] : placed) schedule.buffers[b].offset = size_t(plan.offsets[at]);
    schedule.arena_bytes = size_t(plan.bytes + 63) / 64 * 64;
}

}  // namespace catena::program
