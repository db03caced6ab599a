#include "codegen/cuda/layout.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "codegen/kernel/columns.h"
#include "runtime/program/schedule/device_form.h"

namespace catena::codegen::cuda {

namespace {

constexpr int block_threads = 256;
constexpr int warp = 32;
constexpr int vector_bytes = 16;
/// Additions in a row to one accumulator, as on the CPU.
constexpr int64_t chain_length = 64;
/// Threads that keep a large device busy.
constexpr int64_t enough_threads = 32 * 1024;
constexpr int64_t streaming_bytes = 32 << 20;

template <class F>
void for_each_operand(const KernelGeometry& geometry, F&& f) {
    size_t number = 0;
    for (const KernelOperand& input : geometry.inputs) f(number++, input);
    for (const KernelOperand& output : geometry.outputs) f(number++, output);
}

int inner_of(const KernelGeometry& geometry) { return geometry.domain.rank() - 1; }

/// The longest step that every operand can take in one aligned access, or element by element.
int vector_of(const KernelGeometry& geometry, const std::vector<int64_t>& alignments, int most) {
    const int inner = inner_of(geometry);
    int64_t widest = 1;
    bool any = false;
    for_each_operand(geometry, [&](size_t, const KernelOperand& operand) {
        if (operand.strides[inner] != 1) return;
        widest = std::max(widest, int64_t(size_of(operand.dtype)));
        any = true;
    });
    if (!any) return 1;
    int vector = std::min<int>(vector_bytes / int(widest), most);
    while (vector > 1 && !program::takes_steps_of(geometry, vector, alignments)) vector /= 2;
    return vector;
}

int power_of_two_above(int64_t n, int64_t most) {
    return int(std::bit_ceil(uint64_t(std::clamp<int64_t>(n, 1, most))));
}

bool streams(const KernelGeometry& geometry) {
    int64_t bytes = 0;
    for (const KernelOperand& output : geometry.outputs) {
        int64_t elements = 1;
        for (int dim = 0; dim < geometry.domain.rank(); ++dim)
            if (output.strides[dim] != 0) elements *= geometry.domain[dim];
        bytes = std::max(bytes, elements * int64_t(size_of(output.dtype)));
    }
    return bytes >= streaming_bytes;
}

}  // namespace

Layout layout_of(const KernelGeometry& geometry, const std::vector<int64_t>& alignments,
                 int most_vector) {
    Layout layout;
    layout.threads = block_threads;
    layout.vector = vector_of(geometry, alignments, most_vector);
    layout.wide_index = program::needs_wide_index(geometry);
    layout.streaming = streams(geometry);
    layout.scalars_by_value = program::takes_scalars_by_value(geometry);
    int64_t kept = 1, reduced = 1;
    for (int dim = 0; dim < geometry.domain.rank(); ++dim)
        (geometry.is_reduced(dim) ? reduced : kept) *= geometry.domain[dim];
    if (geometry.reduced == 0) {
        layout.groups = kept / layout.vector;
        return layout;
    }
    if (geometry.is_reduced(inner_of(geometry))) {
        layout.kind = Layout::Kind::rows;
        reduced /= layout.vector;
        // A warp for a row, or a part of one; the whole block where rows are long or few.
        const bool long_rows = reduced > 16 * warp;
        const bool few_rows = reduced >= block_threads && kept * warp < enough_threads;
        layout.reduce_threads =
            long_rows || few_rows ? block_threads : power_of_two_above(reduced, warp);
    } else {
        layout.kind = Layout::Kind::columns;
        kept /= layout.vector;
        // Enough columns keep every thread busy alone; otherwise those of a block take turns and
        // add up at the end.
        const int across = power_of_two_above(kept, warp);
        if (kept < enough_threads)
            layout.reduce_threads =
                std::min(block_threads / across, power_of_two_above(reduced, block_threads));
    }
    layout.groups = kept;
    layout.chains = reduced > chain_length * layout.reduce_threads;
    return layout;
}

std::vector<int64_t> kernel_numbers(const KernelGeometry& geometry, const Layout& layout) {
    return program::device_numbers(geometry, layout.vector, program::strides_read(geometry));
}

SplitRule split_rule(bool any_size) {
    return {.smallest = any_size ? std::numeric_limits<int64_t>::max() : 128 * 1024,
            .enough_units = 256,
            .elements_per_block = 8 * 1024,
            .most_blocks = 1024,
            .units = [](const KernelGeometry& geometry) { return layout_of(geometry).blocks(); },
            .columns = plan_columns_after_rows};
}

}  // namespace catena::codegen::cuda
