#include "codegen/cpu/finish.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "codegen/cpu/row_scratch.h"
#include "codegen/kernel/columns.h"
#include "codegen/kernel/pattern.h"
#include "runtime/program/schedule/reduction_blocks.h"

namespace catena::codegen::cpu {

namespace {

constexpr int64_t most_scratch_bytes = 512 * 1024;

/// The number of values of a row that a thread keeps in memory; 0: keeping does not pay, or exceeds
/// the second-level cache.
int row_scratch_rows(const Kernel& kernel) {
    int rows = find_row_scratch(kernel, LoopNest(kernel)).slots;
    return rows * row_scratch_stride(kernel) <= most_scratch_bytes ? rows : 0;
}

/// Estimated nanoseconds per index of the domain on one thread, to choose the number of threads.
double element_nanoseconds(const Kernel& kernel) {
    // Vector instructions at a few per nanosecond, bytes at second-level cache speed.
    double instructions = 0, bytes = 0;
    for (const KernelValue& value : kernel.values)
        instructions +=
            value.kind == KernelValue::Kind::instruction && facts_of(value.instruction).heavy ? 20
                                                                                              : 1;
    for (int o = 0; o < kernel.operand_count(); ++o)
        if (kernel.operand(o).strides[kernel.inner()] != 0)
            bytes += double(size_of(kernel.operand(o).dtype));
    return std::max(0.03 * instructions, 0.03 * bytes);
}

/// Whether outputs are large and every vector of them is aligned.
bool streams(const KernelGeometry& geometry) {
    bool large = false;
    const int inner = geometry.inner();
    for (const KernelOperand& output : geometry.outputs) {
        if (output.strides[inner] == 0) continue;
        int64_t bytes = int64_t(size_of(output.dtype));
        int64_t elements = 1;
        for (int dim = 0; dim < geometry.domain.rank(); ++dim) {
            if (output.strides[dim] != 0) elements *= geometry.domain[dim];
            if (dim < inner && output.strides[dim] * bytes % 64 != 0) return false;
        }
        large = large || elements * bytes >= streaming_bytes;
    }
    return large;
}

/// How many rows further on the one is that is fetched while a row is gone through again, when
/// memory would rest. The next one would be needed too soon, if rows are short. 0: they are so
/// short that it does not pay, or they are gone through once.
int rows_ahead(const Kernel& kernel) {
    constexpr int64_t least_bytes = 2048, bytes_ahead = 8192;
    const int inner = kernel.inner();
    if (!kernel.is_reduced(inner) || inner == 0 || kernel.is_reduced(inner - 1) ||
        sweeps_once(kernel))
        return 0;
    int64_t bytes = 0;
    for (const KernelOperand& input : kernel.inputs)
        if (input.strides[inner] == 1 && input.strides[inner - 1] != 0)
            bytes = std::max(bytes, kernel.domain[inner] * int64_t(size_of(input.dtype)));
    if (bytes < least_bytes) return 0;
    int rows = 1;
    while (rows * bytes < bytes_ahead) rows *= 2;
    return rows;
}

/// An output written in place of an operand is in the caches already.
bool writes_over_an_input(const Schedule& schedule, const KernelLaunch& launch) {
    for (size_t o = launch.geometry.inputs.size(); o < launch.operands.size(); ++o) {
        const Buffer& buffer = schedule.buffers[size_t(launch.operands[o].buffer)];
        if (buffer.donor >= 0 || buffer.over >= 0) return true;
    }
    return false;
}

}  // namespace

std::vector<WantedKernel> finish(Draft& draft, const FinishOptions& options) {
    std::vector<WantedKernel> wanted;
    for (size_t k = 0; k < draft.kernels.size(); ++k) {
        const Kernel& kernel = draft.kernels[k];
        KernelLaunch& launch = draft.schedule.kernels[k];
        launch.element_nanoseconds = element_nanoseconds(kernel);
        launch.row_scratch_rows = row_scratch_rows(kernel);
        size_kernel(launch);
        const bool streaming =
            options.streaming && streams(kernel) && !writes_over_an_input(draft.schedule, launch);
        wanted.push_back(
            {&kernel,
             &launch,
             {options.fast_math, streaming, launch.row_scratch_rows > 0, rows_ahead(kernel)}});
        launch.key = kernel_key(kernel, wanted.back().options, host_processor());
    }
    return wanted;
}

std::string kernel_key(const Kernel& kernel, const KernelOptions& options,
                       const Processor& processor) {
    return fmt::format("{} fast_math={} streaming={} row_scratch={} rows_ahead={} {}",
                       processor.key, options.fast_math, options.streaming, options.row_scratch,
                       options.rows_ahead, pattern_of(kernel));
}

SplitRule split_rule(bool any_size) {
    // Below this, one thread finishes before others have woken up.
    SplitRule rule{.smallest = 256 * 1024,
                   .enough_units = 32,
                   .elements_per_block = host_elements_per_block,
                   .most_blocks = host_most_blocks,
                   .units = [](const KernelGeometry& geometry) { return shape_of(geometry).units; },
                   .rows_in_order = true,
                   .columns = plan_columns_with_rows};
    if (any_size) {
        // The number of blocks of a split reduction or of column reductions depends on the sizes:
        // neither is split.
        rule.smallest = std::numeric_limits<int64_t>::max();
        rule.columns = plan_columns_after_rows;
    }
    return rule;
}

}  // namespace catena::codegen::cpu
