#include "runtime/program/stream/schedule_numbers.h"

#include <algorithm>

#include "runtime/program/run/blocked_kernels.h"
#include "runtime/program/stream/number_visitor.h"

namespace catena::program {
namespace {

/// Calls `number` for each number, which is a reference to an int64_t of a Schedule that can be
/// changed, else its value.
template <class S, class F>
class Numbers {
public:
    Numbers(S& schedule, F number) : s_(schedule), blocks_(schedule), number_(number) {}

    void visit() { visit_fields(*this, s_); }

    template <class Field, class T>
    void operator()(Field field, T& value) {
        if constexpr (Field::role == Role::list)
            for (size_t i = 0; i < value.size(); ++i)
                visitor_of(value[i], i).visit(as_mutable(value[i]));
        else
            NumberVisitor{number_}(field, as_mutable(value));
    }

private:
    /// The visitor of a constant schedule changes nothing.
    template <class T>
    static T& as_mutable(const T& value) {
        return const_cast<T&>(value);
    }

    NumberVisitor<F> visitor_of(const KernelLaunch&, size_t k) {
        return NumberVisitor(number_, blocks_.combines(s_, k));
    }
    NumberVisitor<F> visitor_of(const Buffer&, size_t b) {
        return NumberVisitor(number_, false, blocks_.count(s_, b));
    }
    template <class T>
    NumberVisitor<F> visitor_of(const T&, size_t) {
        return NumberVisitor(number_);
    }

    S& s_;
    const BlockedKernels blocks_;
    F number_;
};

/// Whether the pairs of an input and an output of a kernel that have the same number of bytes are
/// the same as before.
bool same_fits(const Schedule& schedule, const std::vector<size_t>& bytes_before) {
    for (const KernelLaunch& kernel : schedule.kernels) {
        const size_t inputs = kernel.geometry.inputs.size();
        for (size_t i = 0; i < inputs; ++i)
            for (size_t o = inputs; o < kernel.operands.size(); ++o) {
                const size_t in = size_t(kernel.operands[i].buffer),
                             out = size_t(kernel.operands[o].buffer);
                if ((schedule.buffers[in].bytes == schedule.buffers[out].bytes) !=
                    (bytes_before[in] == bytes_before[out]))
                    return false;
            }
    }
    return true;
}

bool streams_alike(const Schedule& schedule, const std::vector<size_t>& bytes_before) {
    for (const KernelLaunch& kernel : schedule.kernels)
        for (size_t o = kernel.geometry.inputs.size(); o < kernel.operands.size(); ++o) {
            const size_t b = size_t(kernel.operands[o].buffer), bytes = schedule.buffers[b].bytes;
            if (bytes != bytes_before[b] &&
                int64_t(std::max(bytes, bytes_before[b])) >= streaming_bytes)
                return false;
        }
    return true;
}

bool same_reads(const KernelLaunch& kernel) {
    const std::vector<StrideRead> read = strides_read(kernel.geometry);
    return std::ranges::equal(read, kernel.strides_read, [](const auto& a, const auto& b) {
        return a.operand == b.operand && a.dim == b.dim;
    });
}

}  // namespace

std::vector<int64_t> numbers_of(const Schedule& schedule) {
    std::vector<int64_t> numbers;
    auto add = [&](int64_t number) { numbers.push_back(number); };
    Numbers<const Schedule, decltype(add)>(schedule, add).visit();
    return numbers;
}

ChannelsLast orders_wanted(const LibraryCall& call) {
    SmallVector<Type, 4> inputs;
    for (const View& view : call.inputs) inputs.push_back(view.type);
    return channels_last_of({*call.op, inputs, call.attributes});
}

bool set_numbers(Schedule& schedule, std::span<const int64_t> numbers) {
    std::vector<size_t> bytes_before;
    for (const Buffer& buffer : schedule.buffers) bytes_before.push_back(buffer.bytes);
    size_t next = 0;
    auto set = [&](int64_t& number) { number = numbers[next++]; };
    Numbers<Schedule, decltype(set)>(schedule, set).visit();
    return settle_numbers(schedule, bytes_before);
}

bool settle_numbers(Schedule& schedule, const std::vector<size_t>& bytes_before) {
    if (!divide_into_blocks(schedule) || !same_fits(schedule, bytes_before) ||
        !streams_alike(schedule, bytes_before))
        return false;
    for (KernelLaunch& kernel : schedule.kernels) {
        if (!same_reads(kernel)) return false;
        size_kernel(kernel);
    }
    place_buffers(schedule);
    schedule.info.arena_bytes = schedule.arena_bytes;
    return true;
}

}  // namespace catena::program
