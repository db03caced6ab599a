#include "runtime/program/schedule_numbers.h"

#include <algorithm>
#include <type_traits>

#include "runtime/program/blocked_kernels.h"

namespace catena::program {
namespace {

/// Calls `number` for each number, which is a reference to an int64_t of a Schedule that can be changed, else its value.
template <class S, class F>
class Numbers {
public:
    Numbers(S& schedule, F number) : s_(schedule), blocks_(schedule), number_(number) {}

    void visit() {
        for (Type& type : as_mutable(s_.input_types)) visit(type.shape);
        for (size_t k = 0; k < s_.kernels.size(); ++k) visit_kernel(k);
        for (size_t b = 0; b < s_.buffers.size(); ++b) visit_buffer(b);
        for (LibraryCall& call : as_mutable(s_.library_calls)) visit_call(call);
        for (Result& result : as_mutable(s_.results))
            if (result.input < 0) visit(result.view);
    }

private:
    /// The visitor of a constant schedule changes nothing.
    template <class T>
    static T& as_mutable(const T& value) { return const_cast<T&>(value); }

    void visit(Dims& dims) {
        for (int64_t& number : dims) number_(number);
    }

    void visit(View& view) {
        number_(view.offset);
        visit(view.type.shape);
        visit(view.strides);
    }

    void visit_kernel(size_t k) {
        KernelLaunch& kernel = as_mutable(s_.kernels[k]);
        KernelGeometry& geometry = kernel.geometry;
        const bool split = geometry.split > 0, combines = !split && blocks_.of_kernel(k) != BlockedKernels::none;
        if (split) number_(geometry.split_size);
        for (int dim = 0; dim < geometry.domain.rank(); ++dim)
            if (!(split && (dim == 0 || dim == geometry.split)) && !(combines && geometry.is_reduced(dim))) number_(geometry.domain[dim]);
        auto visit_strides = [&](KernelOperand& operand) {
            for (int dim = split && !BlockedKernels::is_per_block(geometry, operand) ? 1 : 0; dim < operand.strides.rank(); ++dim)
                number_(operand.strides[dim]);
        };
        for (KernelOperand& input : geometry.inputs) visit_strides(input);
        for (KernelOperand& output : geometry.outputs) visit_strides(output);
        for (KernelLaunch::Operand& operand : kernel.operands) number_(operand.byte_offset);
    }

    void visit_buffer(size_t b) {
        Buffer& buffer = as_mutable(s_.buffers[b]);
        const int kernel = blocks_.of_buffer(b);
        const int64_t count = kernel == BlockedKernels::none ? 1 : s_.kernels[size_t(kernel)].geometry.domain[0];
        const int64_t before = int64_t(buffer.bytes) / count;
        int64_t bytes = before;
        number_(bytes);
        if (bytes != before) buffer.bytes = size_t(bytes * count);
    }

    void visit_call(LibraryCall& call) {
        for (View& view : call.inputs) visit(view);
        for (View& view : call.outputs) visit(view);
        std::vector<Attributes::Entry> entries(call.attributes.entries().begin(), call.attributes.entries().end());
        bool changed = false;
        for (Attributes::Entry& entry : entries) {
            const Attribute before = entry.value;
            if (Dims* dims = std::get_if<Dims>(&entry.value)) visit(*dims);
            else if (int64_t* integer = std::get_if<int64_t>(&entry.value)) number_(*integer);
            changed = changed || !(before == entry.value);
        }
        if (changed) call.attributes = Attributes(std::move(entries));
    }

    S& s_;
    const BlockedKernels blocks_;
    F number_;
};

/// Whether the pairs of an input and an output of a kernel that have the same number of bytes are the same as before.
bool same_fits(const Schedule& schedule, const std::vector<size_t>& bytes_before) {
    for (const KernelLaunch& kernel : schedule.kernels) {
        const size_t inputs = kernel.geometry.inputs.size();
        for (size_t i = 0; i < inputs; ++i)
            for (size_t o = inputs; o < kernel.operands.size(); ++o) {
                const size_t in = size_t(kernel.operands[i].buffer), out = size_t(kernel.operands[o].buffer);
                if ((schedule.buffers[in].bytes == schedule.buffers[out].bytes) != (bytes_before[in] == bytes_before[out])) return false;
            }
    }
    return true;
}

bool streams_alike(const Schedule& schedule, const std::vector<size_t>& bytes_before) {
    for (const KernelLaunch& kernel : schedule.kernels)
        for (size_t o = kernel.geometry.inputs.size(); o < kernel.operands.size(); ++o) {
            const size_t b = size_t(kernel.operands[o].buffer), bytes = schedule.buffers[b].bytes;
            if (bytes != bytes_before[b] && int64_t(std::max(bytes, bytes_before[b])) >= streaming_bytes) return false;
        }
    return true;
}

bool same_reads(const KernelLaunch& kernel) {
    const std::vector<StrideRead> read = strides_read(kernel.geometry);
    return std::ranges::equal(read, kernel.strides_read,
                              [](const auto& a, const auto& b) { return a.operand == b.operand && a.dim == b.dim; });
}

}  // namespace

std::vector<int64_t> numbers_of(const Schedule& schedule) {
    std::vector<int64_t> numbers;
    auto add = [&](int64_t number) { numbers.push_back(number); };
    Numbers<const Schedule, decltype(add)>(schedule, add).visit();
    return numbers;
}

bool set_numbers(Schedule& schedule, std::span<const int64_t> numbers) {
    std::vector<size_t> bytes_before;
    for (const Buffer& buffer : schedule.buffers) bytes_before.push_back(buffer.bytes);
    size_t next = 0;
    auto set = [&](int64_t& number) { number = numbers[next++]; };
    Numbers<Schedule, decltype(set)>(schedule, set).visit();
    if (!divide_into_blocks(schedule) || !same_fits(schedule, bytes_before) || !streams_alike(schedule, bytes_before)) return false;
    for (KernelLaunch& kernel : schedule.kernels) {
        if (!same_reads(kernel)) return false;
        size_kernel(kernel);
    }
    place_buffers(schedule);
    schedule.info.arena_bytes = schedule.arena_bytes;
    return true;
}

}  // namespace catena::program
