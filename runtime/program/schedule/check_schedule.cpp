#include "runtime/program/schedule/check_schedule.h"

#include <algorithm>
#include <limits>

#include "runtime/core/array/memory_order.h"
#include "runtime/graph/op/call_types.h"
#include "runtime/program/schedule/device_form.h"

namespace catena::program {

namespace {

/// No valid array is larger, and sums of a few products of such numbers do not overflow __int128.
constexpr int64_t most_bytes = int64_t(1) << 46;
/// All buffers together, whose places in memory are sums of their sizes.
constexpr int64_t most_bytes_together = int64_t(1) << 62;
/// A thread's scratch rows are planned to fit the second-level cache.
constexpr int64_t most_scratch_bytes = int64_t(1) << 30;
/// Maximum threads per block of any device.
constexpr int most_threads = 1024;
using Wide = __int128;

template <class... Args>
void require(bool sound, fmt::format_string<Args...> format, Args&&... args) {
    if (!sound) fail<FileError>(format, std::forward<Args>(args)...);
}

bool within(int64_t index, size_t count) { return index >= 0 && size_t(index) < count; }

/// Bytes of a type, after checking its sizes; where one is 0, the others, too, whose products are
/// strides.
int64_t checked_bytes(const Type& type) {
    Wide bytes = int64_t(size_of(type.dtype));
    bool is_empty = false;
    for (int64_t size : type.shape) {
        require(size >= 0 && size <= most_bytes, "an array has the size {}", size);
        is_empty |= size == 0;
        bytes *= std::max<int64_t>(size, 1);
        require(bytes <= most_bytes, "an array {} is larger than any memory", to_string(type));
    }
    return is_empty ? 0 : int64_t(bytes);
}

/// First and last byte, from the start of the buffer, that sizes and strides reach.
struct Reach {
    Wide first, last;
};

void extend(Reach& reach, int64_t size, int64_t stride, int64_t bytes) {
    const Wide step = Wide(size - 1) * stride * bytes;
    (step < 0 ? reach.first : reach.last) += step;
}

void require_inside(const Reach& reach, const Buffer& buffer, const std::string& who) {
    require(reach.first >= 0 && reach.last <= Wide(buffer.bytes),
            "{} reaches outside of its memory", who);
}

class ScheduleChecker {
public:
    ScheduleChecker(const Schedule& schedule, const ChannelsLastRule& orders)
        : s_(schedule), orders_(orders) {}

    void run() {
        check_buffers();
        for (const KernelLaunch& kernel : s_.kernels) check_kernel(kernel);
        for (const LibraryCall& call : s_.library_calls) check_call(call);
        for (const Launch& launch : s_.launches) {
            require(
                launch.library_call == -1 || within(launch.library_call, s_.library_calls.size()),
                "a launch names call {} of {}", launch.library_call, s_.library_calls.size());
            for (int k : launch.kernels)
                require(within(k, s_.kernels.size()), "a launch names kernel {} of {}", k,
                        s_.kernels.size());
            require(launch.library_call == -1 || launch.kernels.empty(),
                    "a launch is call {} and {} kernels", launch.library_call,
                    launch.kernels.size());
        }
        for (size_t r = 0; r < s_.results.size(); ++r) check_result(r);
        check_cut();
    }

private:
    void check_buffers() {
        std::vector<int> of_input(s_.input_types.size(), 0);
        Wide together = 0;
        for (size_t b = 0; b < s_.buffers.size(); ++b) {
            const Buffer& buffer = s_.buffers[b];
            const int launches = int(s_.launches.size());
            require(buffer.bytes <= size_t(most_bytes), "buffer {} has {} bytes", b, buffer.bytes);
            together += Wide(buffer.bytes);
            require(together <= most_bytes_together, "{} buffers are larger than any memory",
                    b + 1);
            require(buffer.first >= -1 && buffer.first <= buffer.last && buffer.last < launches,
                    "buffer {} lives from launch {} to {} of {}", b, buffer.first, buffer.last,
                    launches);
            if (buffer.place == Buffer::Place::input) {
                require(within(buffer.index, of_input.size()), "buffer {} is input {} of {}", b,
                        buffer.index, of_input.size());
                require(
                    int64_t(buffer.bytes) == checked_bytes(s_.input_types[size_t(buffer.index)]),
                    "buffer {} has another size than its input", b);
                ++of_input[size_t(buffer.index)];
            }
            if (buffer.place == Buffer::Place::output) {
                require(within(buffer.index, s_.results.size()), "buffer {} is output {} of {}", b,
                        buffer.index, s_.results.size());
                const Result& result = s_.results[size_t(buffer.index)];
                require(result.input == -1 && result.view.buffer == int(b),
                        "buffer {} is output {}, which is another buffer", b, buffer.index);
            } else {
                require(buffer.donor == -1, "buffer {} takes input {}'s memory and is no output", b,
                        buffer.donor);
            }
            require(buffer.donor == -1 || within(buffer.donor, s_.input_types.size()),
                    "buffer {} takes input {}'s memory", b, buffer.donor);
            if (buffer.over != -1) check_over(buffer, b);
        }
        for (int count : of_input) require(count == 1, "an input has {} buffers", count);
    }

    void check_cut() const {
        const Cut& cut = s_.cut;
        const auto is_part = [](int part, size_t whole) {
            return part >= 0 && size_t(part) <= whole;
        };
        require(cut.launch == -1 || (is_part(cut.launch, s_.launches.size()) &&
                                     is_part(cut.inputs, s_.input_types.size()) &&
                                     is_part(cut.outputs, s_.results.size()) &&
                                     is_part(cut.assigns, s_.results.size() - size_t(cut.outputs))),
                "it is cut at launch {} of {}, with {} inputs, {} results and {} assigned states",
                cut.launch, s_.launches.size(), cut.inputs, cut.outputs, cut.assigns);
    }

    void check_over(const Buffer& buffer, size_t b) {
        // Each is over one that is written earlier, so there are no cycles.
        require(within(buffer.over, s_.buffers.size()), "buffer {} lies over {}", b, buffer.over);
        const Buffer& below = s_.buffers[size_t(buffer.over)];
        require(buffer.place == Buffer::Place::arena && below.place == Buffer::Place::arena &&
                    below.bytes == buffer.bytes && below.first < buffer.first,
                "buffer {} lies over {}, which does not fit", b, buffer.over);
    }

    const Buffer& buffer(int b) const {
        require(within(b, s_.buffers.size()), "buffer {} is named, there are {}", b,
                s_.buffers.size());
        return s_.buffers[size_t(b)];
    }

    void check_kernel(const KernelLaunch& kernel) const {
        const KernelGeometry& p = kernel.geometry;
        const int rank = p.domain.rank();
        require(rank >= 1 && kernel.operands.size() == p.inputs.size() + p.outputs.size(),
                "kernel {} has rank {} and {} operands", kernel.symbol, rank,
                kernel.operands.size());
        require(rank <= max_rank && kernel.geometry.scalar_count == int(kernel.scalars.size()),
                "kernel {} has {} numbers", kernel.symbol, kernel.scalars.size());
        require(p.reduced < (1u << rank) && p.split != 0 && p.split >= -1 && p.split < rank &&
                    p.serial >= 0 && p.serial < rank && p.split_size >= 0 &&
                    p.split_size <= most_bytes && kernel.row_scratch_rows >= 0 &&
                    kernel.row_scratch_rows <= 1024,
                "kernel {} has an invalid form", kernel.symbol);
        for (int64_t size : p.domain)
            require(size >= 0 && size <= most_bytes, "kernel {} has the size {}", kernel.symbol,
                    size);
        checked_bytes({Dtype::float64, p.domain});
        require(kernel.row_scratch_rows * row_scratch_stride(p) <= most_scratch_bytes,
                "kernel {} wants {} rows of scratch", kernel.symbol, kernel.row_scratch_rows);
        require(kernel.element_nanoseconds >= 0 && kernel.element_nanoseconds < 1e9,
                "kernel {} has no cost", kernel.symbol);
        for (const StrideRead& read : kernel.strides_read)
            require(within(read.operand, kernel.operands.size()) && within(read.dim, size_t(rank)),
                    "kernel {} reads stride {} of operand {}", kernel.symbol, read.dim,
                    read.operand);
        if (p.split > 0)
            require(p.split_size > (p.domain[0] - 1) * p.domain[p.split] &&
                        p.split_size <= p.domain[0] * p.domain[p.split],
                    "kernel {} has {} blocks of {} for {} elements", kernel.symbol, p.domain[0],
                    p.domain[p.split], p.split_size);
        for (size_t o = 0; o < kernel.operands.size(); ++o) check_operand(kernel, int(o));
        if (kernel.device.threads != 0) check_form(kernel);
    }

    void check_form(const KernelLaunch& kernel) const {
        const DeviceForm& form = kernel.device;
        auto power_of_two = [](int number, int most) {
            return number >= 1 && number <= most && (number & (number - 1)) == 0;
        };
        require(form.threads % 32 == 0 && form.threads >= 32 && form.threads <= most_threads &&
                    power_of_two(form.reduce_threads, form.threads) &&
                    power_of_two(form.vector, 16),
                "kernel {} has blocks of {} threads, {} a result, in steps of {}", kernel.symbol,
                form.threads, form.reduce_threads, form.vector);
        std::vector<int64_t> alignments;
        for (const KernelLaunch::Operand& operand : kernel.operands)
            alignments.push_back(alignment_at(operand.byte_offset));
        require(takes_steps_of(kernel.geometry, form.vector, alignments),
                "kernel {} takes {} elements at a time, which its memory is not laid out for",
                kernel.symbol, form.vector);
    }

    void check_operand(const KernelLaunch& kernel, int o) const {
        const KernelGeometry& p = kernel.geometry;
        const KernelOperand& operand = p.operand(o);
        const Buffer& memory = buffer(kernel.operands[size_t(o)].buffer);
        require(operand.strides.rank() == p.domain.rank(), "kernel {} has {} strides for {} sizes",
                kernel.symbol, operand.strides.rank(), p.domain.rank());
        if (element_count(p.domain) == 0) return;
        const int64_t bytes = int64_t(size_of(operand.dtype));
        const int64_t offset = kernel.operands[size_t(o)].byte_offset;
        require(offset % bytes == 0, "kernel {} begins at byte {} of elements of {}", kernel.symbol,
                offset, bytes);
        Reach reach{offset, Wide(offset) + bytes};
        for (int dim = 0; dim < p.domain.rank(); ++dim) {
            int64_t size = p.domain[dim];
            // The last block of a dimension that is split may be shorter.
            if (p.split > 0 &&
                Wide(operand.strides[0]) == Wide(operand.strides[p.split]) * p.domain[p.split]) {
                if (dim == 0) continue;
                if (dim == p.split) size = std::max<int64_t>(p.split_size, 1);
            }
            extend(reach, size, operand.strides[dim], bytes);
        }
        require_inside(reach, memory, kernel.symbol);
    }

    void check_view(const View& view, const std::string& who) const {
        const Buffer& memory = buffer(view.buffer);
        require(view.strides.rank() == view.type.shape.rank(), "{} has a view without strides",
                who);
        if (checked_bytes(view.type) == 0) return;
        const int64_t bytes = int64_t(size_of(view.type.dtype));
        Reach reach{Wide(view.offset) * bytes, (Wide(view.offset) + 1) * bytes};
        for (int dim = 0; dim < view.type.shape.rank(); ++dim)
            extend(reach, view.type.shape[dim], view.strides[dim], bytes);
        require_inside(reach, memory, who);
    }

    void check_call(const LibraryCall& call) const {
        const OpDef& op = *call.op;
        require(bool(op.kernel), "{} has no kernel of its own", op.name);
        require(op.input_count < 0 || size_t(op.input_count) == call.inputs.size(),
                "{} is given {} inputs", op.name, call.inputs.size());
        require(op.scalar_names.size() == call.scalars.size(), "{} is given {} scalars", op.name,
                call.scalars.size());
        SmallVector<Type, 4> inputs;
        for (const View& view : call.inputs) {
            check_view(view, op.name);
            inputs.push_back(view.type);
        }
        const Types outputs = foreign_call_types(TypeCall{op, inputs, call.attributes});
        require(outputs.size() == call.outputs.size(), "{} is given {} outputs", op.name,
                call.outputs.size());
        const ChannelsLast last = orders_(TypeCall{op, inputs, call.attributes});
        for (size_t i = 0; i < outputs.size(); ++i) {
            const View& output = call.outputs[i];
            check_view(output, op.name);
            const std::optional<MemoryOrder> order =
                memory_order(output.type.shape, output.strides);
            require(outputs[i] == output.type && order &&
                        (*order == MemoryOrder::row_major || (last.outputs >> i & 1)),
                    "{} gives {}, not {} in another order", op.name, to_string(outputs[i]),
                    to_string(output.type));
        }
        if (call.elements) check_elements(call);
    }

    /// Limits the passes of a call: no pass may run over more indices than there are elements.
    void check_elements(const LibraryCall& call) const {
        const ElementLaunches& elements = *call.elements;
        require(elements.threads % 32 == 0 && elements.threads >= 32 &&
                    elements.threads <= most_threads,
                "{} has blocks of {} threads", call.op->name, elements.threads);
        require(elements.scratch >= 0 && elements.scratch <= most_bytes / 8 &&
                    elements.passes.size() <= 1024,
                "{} wants {} words of scratch for {} passes", call.op->name, elements.scratch,
                elements.passes.size());
        int64_t most = elements.scratch;
        for (const auto* views : {&call.inputs, &call.outputs})
            for (const View& view : *views)
                most += checked_bytes(view.type) / int64_t(size_of(view.type.dtype));
        for (const ElementLaunches::Pass& pass : elements.passes)
            require(pass.count >= 0 && pass.count <= most && pass.numbers.size() <= 64,
                    "{} has a pass over {} elements of {}", call.op->name, pass.count, most);
    }

    void check_result(size_t r) const {
        const Result& result = s_.results[r];
        if (result.input != -1) {
            require(within(result.input, s_.input_types.size()), "result {} is input {}", r,
                    result.input);
            return;
        }
        const Buffer& memory = buffer(result.view.buffer);
        check_view(result.view, "a result");
        require(memory.place == Buffer::Place::output && memory.index <= int(r) &&
                    result.view.contiguous() &&
                    int64_t(memory.bytes) == checked_bytes(result.view.type),
                "result {} is no whole output", r);
        const Result& owner = s_.results[size_t(memory.index)];
        require(owner.input == -1 && owner.view.buffer == result.view.buffer &&
                    owner.view.type.dtype == result.view.type.dtype,
                "result {} looks at another's memory", r);
        if (memory.donor >= 0)
            require(checked_bytes(s_.input_types[size_t(memory.donor)]) == int64_t(memory.bytes),
                    "result {} takes memory of another size", r);
    }

    const Schedule& s_;
    const ChannelsLastRule& orders_;
};

}  // namespace

void check_schedule(const Schedule& schedule, const ChannelsLastRule& orders) {
    ScheduleChecker(schedule, orders).run();
}

}  // namespace catena::program
