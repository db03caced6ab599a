#include "runtime/cpu/blocks/reduce_kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/core/array/loop_nest.h"
#include "runtime/core/memory/memory_pool.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/blocks/across.h"
#include "runtime/cpu/blocks/block_kernels.h"

namespace catena {

namespace {

// The tree of a reduction. Runs of elements are combined in the type computed in, at most `chunk`
// of a row or `group` rows at a time; these parts are combined in their order in a wider type,
// float64 or int64. Neither depends on the number of threads.
constexpr int64_t chunk = 4096;
constexpr int64_t group = 64;
constexpr int64_t columns_at_once = 512;
constexpr int64_t outputs_at_once = 256;
constexpr int64_t grain = 1 << 17;  ///< Input elements; about 30 us from memory.

/// Parts and totals as 64-bit patterns: of a double, or of an int64.
using Wide = uint64_t;

/// A product of dimensions, and what the input moves by along each.
struct Walk {
    int rank = 0;
    std::array<int64_t, max_rank> sizes, strides;
    int64_t count = 1;

    void add(int64_t size, int64_t stride) {
        sizes[size_t(rank)] = size;
        strides[size_t(rank++)] = stride;
        count *= size;
    }
    int64_t offset(int64_t index) const {
        int64_t offset = 0;
        for (size_t i = size_t(rank); i-- > 0;) {
            offset += index % sizes[i] * strides[i];
            index /= sizes[i];
        }
        return offset;
    }
};

class Reduction {
public:
    Reduction(const KernelCall& call, const Axes& axes)
        : combine_(call.op.combine),
          compute_(compute_of(call.inputs[0].dtype())),
          wide_(compute_ == Compute::int64 ? Compute::int64 : Compute::float64),
          input_(call.inputs[0]),
          output_(call.outputs[0]),
          data_(static_cast<const std::byte*>(input_.elements())),
          element_(int64_t(size_of(input_.dtype()))),
          width_(int64_t(size_of(compute_))) {
        const BlockKernels& kernels = block_kernels();
        reduce_row_ = kernels.reduce_row[int(combine_)][int(compute_)];
        accumulate_ = kernels.operation[int(compute_)][int(intrinsic())];
        load_ = kernels.load[int(compute_)][int(input_.dtype())];
        store_ = kernels.store[int(wide_)][int(output_.dtype())];
        const Dtype computed = compute_ == Compute::float32   ? Dtype::float32
                               : compute_ == Compute::float64 ? Dtype::float64
                                                              : Dtype::int64;
        in_place_ = input_.dtype() == computed;
        plan(axes);
    }

    void run() {
        if (inner_reduced_)
            reduce_rows();
        else
            reduce_columns();
    }

private:
    Intrinsic intrinsic() const {
        switch (combine_) {
            case Combine::sum:
                return Intrinsic::add;
            case Combine::product:
                return Intrinsic::mul;
            case Combine::maximum:
                return Intrinsic::max;
            default:
                return Intrinsic::min;
        }
    }

    /// Splits the input's dimensions into those kept and those reduced, the innermost apart.
    void plan(const Axes& axes) {
        Shape kept = input_.shape();
        for (int64_t axis : axes) kept[int(axis)] = 1;
        const std::array<Strides, 2> strides = {
            broadcast_strides(kept, contiguous_strides(kept), input_.shape()), input_.strides()};
        const LoopNest nest = make_loop_nest(input_.shape(), strides);
        if (nest.rank == 0) {
            inner_size_ = 1;
            inner_reduced_ = true;
            return;
        }
        const int inner = nest.rank - 1;
        inner_size_ = nest.sizes[inner];
        inner_stride_ = nest.strides[1][size_t(inner)];
        inner_reduced_ = nest.strides[0][size_t(inner)] == 0;
        for (int i = 0; i < inner; ++i)
            (nest.strides[0][size_t(i)] == 0 ? reduced_ : kept_)
                .add(nest.sizes[i], nest.strides[1][size_t(i)]);
    }

    Wide identity() const {
        const bool is_int = wide_ == Compute::int64;
        const double infinity = std::numeric_limits<double>::infinity();
        switch (combine_) {
            case Combine::sum:
                return 0;
            case Combine::product:
                return is_int ? 1 : std::bit_cast<Wide>(1.0);
            case Combine::maximum:
                return is_int ? Wide(std::numeric_limits<int64_t>::min())
                              : std::bit_cast<Wide>(-infinity);
            default:
                return is_int ? Wide(std::numeric_limits<int64_t>::max())
                              : std::bit_cast<Wide>(infinity);
        }
    }

    /// One part, of the type computed in, into a total.
    void combine_part(Wide& total, const void* part) const {
        if (compute_ == Compute::int64) {
            const uint64_t a = total, b = *static_cast<const uint64_t*>(part);
            switch (combine_) {
                case Combine::sum:
                    total = a + b;
                    return;
                case Combine::product:
                    total = a * b;
                    return;
                case Combine::maximum:
                    total = Wide(std::max(int64_t(a), int64_t(b)));
                    return;
                default:
                    total = Wide(std::min(int64_t(a), int64_t(b)));
                    return;
            }
        }
        const double a = std::bit_cast<double>(total);
        const double b = compute_ == Compute::float32 ? *static_cast<const float*>(part)
                                                      : *static_cast<const double*>(part);
        double result;
        switch (combine_) {
            case Combine::sum:
                result = a + b;
                break;
            case Combine::product:
                result = a * b;
                break;
            case Combine::maximum:
                result = a != a ? a : a > b ? a : b;
                break;
            default:
                result = a != a ? a : a < b ? a : b;
                break;
        }
        total = std::bit_cast<Wide>(result);
    }

    /// Elements as a dense block of the compute type: in place, or converted into `buffer`.
    const void* block(int64_t offset, int64_t n, std::byte* buffer) const {
        const std::byte* from = data_ + offset * element_;
        if (in_place_ && inner_stride_ == 1) return from;
        load_(buffer, from, n, inner_stride_);
        return buffer;
    }

    std::byte* output_at(int64_t index) const {
        return static_cast<std::byte*>(output_.to_fill()) +
               index * int64_t(size_of(output_.dtype()));
    }

    // ---- The innermost dimension is reduced.

    int64_t chunks_per_run() const { return (inner_size_ + chunk - 1) / chunk; }

    /// Part `index` of the output whose elements begin at `offset`.
    void reduce_part(int64_t offset, int64_t index, std::byte* buffer, void* part) const {
        const int64_t run = chunks_per_run() == 1 ? index : index / chunks_per_run();
        const int64_t first = (index - run * chunks_per_run()) * chunk;
        const int64_t n = std::min(chunk, inner_size_ - first);
        reduce_row_(part, block(offset + reduced_.offset(run) + first * inner_stride_, n, buffer),
                    n);
    }

    void reduce_rows() const {
        const int64_t parts = reduced_.count * chunks_per_run();
        const int64_t per_output = std::max<int64_t>(reduced_.count * inner_size_, 1);
        if (kept_.count < 4 * thread_count() && kept_.count * per_output > grain && parts > 1)
            return reduce_rows_together(parts);
        parallel_for(kept_.count, std::max<int64_t>(1, grain / per_output),
                     [&](int64_t begin, int64_t end) {
                         alignas(64) std::byte buffer[chunk * 8];
                         Wide totals[outputs_at_once];
                         for (int64_t first = begin; first < end; first += outputs_at_once) {
                             const int64_t n = std::min(outputs_at_once, end - first);
                             for (int64_t i = 0; i < n; ++i) {
                                 totals[i] = identity();
                                 const int64_t offset = kept_.offset(first + i);
                                 for (int64_t k = 0; k < parts; ++k) {
                                     uint64_t part;
                                     reduce_part(offset, k, buffer, &part);
                                     combine_part(totals[i], &part);
                                 }
                             }
                             store_(output_at(first), totals, n, false);
                         }
                     });
    }

    /// Few outputs of many elements each: the threads share the parts of one output.
    void reduce_rows_together(int64_t count) const {
        std::vector<uint64_t> parts(static_cast<size_t>(count));
        const int64_t per_part = std::max<int64_t>(reduced_.count * inner_size_ / count, 1);
        for (int64_t i = 0; i < kept_.count; ++i) {
            const int64_t offset = kept_.offset(i);
            parallel_for(count, std::max<int64_t>(1, grain / per_part),
                         [&](int64_t begin, int64_t end) {
                             alignas(64) std::byte buffer[chunk * 8];
                             for (int64_t k = begin; k < end; ++k)
                                 reduce_part(offset, k, buffer, &parts[size_t(k)]);
                         });
            Wide total = identity();
            for (const uint64_t& part : parts) combine_part(total, &part);
            store_(output_at(i), &total, 1, false);
        }
    }

    // ---- The innermost dimension is kept: rows are added to rows.

    int64_t groups() const { return (reduced_.count + group - 1) / group; }

    /// Combines one group of rows, columns [first, first + n), into `part`.
    void reduce_group(int64_t offset, int64_t index, int64_t first, int64_t n, std::byte* buffer,
                      std::byte* part) const {
        const int64_t begin = index * group, end = std::min(begin + group, reduced_.count);
        const int64_t start = offset + first * inner_stride_;
        load_(part, data_ + (start + reduced_.offset(begin)) * element_, n, inner_stride_);
        for (int64_t row = begin + 1; row < end; ++row)
            accumulate_(part, part, block(start + reduced_.offset(row), n, buffer), nullptr, n, 0);
    }

    void combine_columns(Wide* totals, const std::byte* part, int64_t n) const {
        for (int64_t i = 0; i < n; ++i) combine_part(totals[i], part + i * width_);
    }

    void reduce_columns() const {
        const int64_t bands = (inner_size_ + columns_at_once - 1) / columns_at_once;
        const int64_t tasks = kept_.count * bands;
        const int64_t per_task =
            std::max<int64_t>(reduced_.count * std::min(inner_size_, columns_at_once), 1);
        if (tasks < 2 * thread_count() && tasks * per_task > grain && groups() > 1)
            return reduce_columns_together(tasks, bands);
        parallel_for(
            tasks, std::max<int64_t>(1, grain / per_task), [&](int64_t begin, int64_t end) {
                alignas(64) std::byte buffer[columns_at_once * 8], part[columns_at_once * 8];
                Wide totals[columns_at_once];
                for (int64_t task = begin; task < end; ++task) {
                    const int64_t first = task % bands * columns_at_once;
                    const int64_t n = std::min(columns_at_once, inner_size_ - first);
                    const int64_t offset = kept_.offset(task / bands);
                    std::fill_n(totals, n, identity());
                    for (int64_t g = 0; g < groups(); ++g) {
                        reduce_group(offset, g, first, n, buffer, part);
                        combine_columns(totals, part, n);
                    }
                    store_(output_at(task / bands * inner_size_ + first), totals, n, false);
                }
            });
    }

    /// Few columns of many rows: the threads share the groups of one band.
    void reduce_columns_together(int64_t tasks, int64_t bands) const {
        const int64_t width = std::min(inner_size_, columns_at_once);
        std::vector<uint64_t> parts(
            static_cast<size_t>(groups() * width));  // Room for the wider types.
        auto* const at = reinterpret_cast<std::byte*>(parts.data());
        for (int64_t task = 0; task < tasks; ++task) {
            const int64_t first = task % bands * columns_at_once;
            const int64_t n = std::min(columns_at_once, inner_size_ - first);
            const int64_t offset = kept_.offset(task / bands);
            parallel_for(groups(), std::max<int64_t>(1, grain / (group * n)),
                         [&](int64_t begin, int64_t end) {
                             alignas(64) std::byte buffer[columns_at_once * 8];
                             for (int64_t g = begin; g < end; ++g)
                                 reduce_group(offset, g, first, n, buffer, at + g * width * 8);
                         });
            Wide totals[columns_at_once];
            std::fill_n(totals, n, identity());
            for (int64_t g = 0; g < groups(); ++g) combine_columns(totals, at + g * width * 8, n);
            store_(output_at(task / bands * inner_size_ + first), totals, n, false);
        }
    }

    Combine combine_;
    Compute compute_, wide_;
    const Array& input_;
    const Array& output_;
    const std::byte* data_;
    int64_t element_, width_;
    BlockKernels::ReduceRow reduce_row_;
    BlockKernels::Operation accumulate_;
    BlockKernels::Load load_;
    BlockKernels::Store store_;
    bool in_place_ = false;  ///< Dense blocks of the input need no conversion.
    /// Walks over the kept and the reduced dimensions, without the innermost one.
    Walk kept_, reduced_;
    int64_t inner_size_ = 1, inner_stride_ = 1;
    bool inner_reduced_ = true;
};

/// Reduces as if the input's axes were ordered as its elements lie in memory, and the results
/// ordered after it.
void reduce_in_memory_order(const KernelCall& call, const Axes& axes) {
    const Array& input = call.inputs[0];
    std::array<int, max_rank> order;
    const auto end = order.begin() + input.rank();
    std::iota(order.begin(), end, 0);
    std::stable_sort(order.begin(), end,
                     [&](int a, int b) { return input.strides()[a] > input.strides()[b]; });

    Shape shape = input.shape();
    Strides strides = input.strides();
    Axes reduced;
    Shape kept, kept_in_order;       // Of the results, in their order, and in that of memory.
    std::array<int, max_rank> from;  // The axis of `kept_in_order` that is an axis of `input`.
    for (int i = 0; i < input.rank(); ++i) {
        const int axis = order[size_t(i)];
        shape[i] = input.dim(axis);
        strides[i] = input.strides()[axis];
        if (std::ranges::find(axes, axis) != axes.end()) {
            reduced.push_back(i);
        } else {
            from[size_t(axis)] = kept_in_order.rank();
            kept_in_order.push_back(input.dim(axis));
        }
    }
    const Array ordered[] = {input.view(shape, strides, input.body()->offset)};
    Array results[] = {Array::empty({call.outputs[0].dtype(), kept_in_order}, input.device())};
    Reduction({call.op, ordered, results, call.attributes, call.scalars}, reduced).run();

    Strides places;
    const Strides steps = contiguous_strides(kept_in_order);
    for (int axis = 0; axis < input.rank(); ++axis) {
        if (std::ranges::find(axes, axis) != axes.end()) continue;
        kept.push_back(input.dim(axis));
        places.push_back(steps[from[size_t(axis)]]);
    }
    copy_elements(
        results[0].view(kept, places, 0),
        call.outputs[0].view(kept, contiguous_strides(kept), call.outputs[0].body()->offset));
}

}  // namespace

void run_reduce(const KernelCall& call) {
    const Array& input = call.inputs[0];
    const Array& output = call.outputs[0];
    if (output.size() == 0) return;
    const std::string& name = call.op.name;
    const Axes axes =
        normalize_axes(name.c_str(), call.attributes.dims("axes"), input.rank(), false);
    if (input.size() == 0 &&
        (call.op.combine == Combine::maximum || call.op.combine == Combine::minimum))
        fail<ValueError>(
            "{}: x {} has no elements along the axes {}; an empty set has no largest or smallest "
            "element",
            name, to_string(input.type()), to_string(axes));
    if (lies_across(input)) return reduce_in_memory_order(call, axes);
    Reduction(call, axes).run();
}

}  // namespace catena
