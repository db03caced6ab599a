#include "runtime/program/schedule/divide_schedule.h"

#include "runtime/core/array/sizes.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace catena::program {
namespace {

/// The results of the whole that are of the first part, and of the second, in order.
std::vector<int> results_of(const Schedule& whole, bool first) {
    const int count = int(whole.results.size()), gradients_end = count - whole.cut.assigns;
    std::vector<int> results;
    for (int r = 0; r < count; ++r)
        if ((r < whole.cut.outputs || r >= gradients_end) == first) results.push_back(r);
    return results;
}

/// One part while it is made: launches [begin, end) with what they use.
class Part {
public:
    /// Takes the launches out of `whole`, which must stay.
    Part(Schedule& whole, int begin, int end)
        : whole_(whole), begin_(begin), end_(end), numbers_(whole.buffers.size(), -1) {}

    /// An input of this part that is buffer `b` of the whole, -1: the whole has no such buffer.
    void add_input(const Type& type, int b) {
        Buffer buffer;
        buffer.place = Buffer::Place::input;
        buffer.index = int(made_.input_types.size());
        buffer.bytes = byte_count(type);
        made_.input_types.push_back(type);
        if (b >= 0) numbers_[size_t(b)] = int(made_.buffers.size());
        made_.buffers.push_back(buffer);
    }

    /// The bytes that are saved: an input or a result.
    void set_saved(Buffer::Place place) {
        const Type type{Dtype::uint8, Shape{int64_t(whole_.cut.saved_bytes)}};
        if (place == Buffer::Place::input) {
            add_input(type, -1);
        } else {
            Buffer buffer;
            buffer.place = place;
            buffer.index = -1;  // Known when all results are.
            buffer.bytes = whole_.cut.saved_bytes;
            made_.buffers.push_back(buffer);
        }
        saved_ = int(made_.buffers.size()) - 1;
    }

    void add_results(const std::vector<int>& results, const std::vector<int>& input_of) {
        for (size_t i = 0; i < results.size(); ++i) place_of_result_[results[i]] = int(i);
        for (int r : results) {
            Result result = whole_.results[size_t(r)];
            if (result.input >= 0)
                result.input = input_of[size_t(result.input)];
            else
                result.view = mine(result.view);
            made_.results.push_back(std::move(result));
        }
        Buffer& saved = made_.buffers[size_t(saved_)];
        if (saved.place != Buffer::Place::output) return;
        saved.index = int(made_.results.size());
        const Type type{Dtype::uint8, Shape{int64_t(saved.bytes)}};
        made_.results.push_back({-1, View{saved_, 0, type, contiguous_strides(type.shape)}});
    }

    Schedule finish() {
        reserve();
        for (int l = begin_; l < end_; ++l) add_launch(whole_.launches[size_t(l)]);
        for (size_t b = 0; b < numbers_.size(); ++b)
            if (const int over = whole_.buffers[b].over; numbers_[b] >= 0 && over >= 0)
                made_.buffers[size_t(numbers_[b])].over = numbers_[size_t(over)];
        std::set<std::string> keys;
        ExecutableInfo& info = made_.info;
        for (const KernelLaunch& kernel : made_.kernels) {
            keys.insert(kernel.key);
            if (kernel.operations.size() > 1)
                info.fused_ops += int(kernel.operations.size());  // Each function and line once.
        }
        made_.buffers.shrink_to_fit();
        made_.arena_bytes = (made_.arena_bytes + 63) / 64 * 64;
        info.name = whole_.info.name;
        info.steps = int(made_.launches.size());
        info.kernels = int(keys.size());
        info.library_calls = int(made_.library_calls.size());
        info.arena_bytes = made_.arena_bytes;
        return std::move(made_);
    }

private:
    void reserve() {
        const std::span<const Launch> launches =
            std::span<const Launch>(whole_.launches).subspan(size_t(begin_), size_t(end_ - begin_));
        size_t kernels = 0, calls = 0;
        for (const Launch& launch : launches) {
            kernels += launch.kernels.size();
            calls += launch.library_call >= 0;
        }
        made_.launches.reserve(launches.size());
        made_.kernels.reserve(kernels);
        made_.library_calls.reserve(calls);
    }

    int launch_in_part(int l) const { return l < begin_ || l >= end_ ? -1 : l - begin_; }

    int mine(int b) {
        int& number = numbers_[size_t(b)];
        if (number >= 0) return number;
        Buffer buffer = whole_.buffers[size_t(b)];
        CATENA_ASSERT(buffer.place != Buffer::Place::input,
                      "a part reads an input that it is not given");
        buffer.first = launch_in_part(buffer.first);
        buffer.last = launch_in_part(buffer.last);
        buffer.over = buffer.donor = -1;
        if (buffer.place == Buffer::Place::output) {
            buffer.index = place_of_result_.at(buffer.index);
        } else if (buffer.offset < whole_.cut.saved_bytes) {
            buffer.place = Buffer::Place::part;
            buffer.index = saved_;
        } else {
            buffer.offset -= whole_.cut.saved_bytes;
            made_.arena_bytes = std::max(made_.arena_bytes, buffer.offset + buffer.bytes);
        }
        number = int(made_.buffers.size());
        made_.buffers.push_back(buffer);
        return number;
    }

    View mine(View view) {
        view.buffer = mine(view.buffer);
        return view;
    }

    void add_launch(const Launch& launch) {
        Launch& added = made_.launches.emplace_back();
        if (launch.library_call >= 0) {
            LibraryCall call = std::move(whole_.library_calls[size_t(launch.library_call)]);
            for (View& view : call.inputs) view = mine(view);
            for (View& view : call.outputs) view = mine(view);
            added.library_call = int(made_.library_calls.size());
            made_.library_calls.push_back(std::move(call));
        }
        for (int k : launch.kernels) {
            KernelLaunch kernel = std::move(whole_.kernels[size_t(k)]);
            for (KernelLaunch::Operand& operand : kernel.operands)
                operand.buffer = mine(operand.buffer);
            added.kernels.push_back(int(made_.kernels.size()));
            made_.kernels.push_back(std::move(kernel));
        }
    }

    Schedule& whole_;
    const int begin_, end_;
    Schedule made_;
    /// The buffer of this part for each buffer of the whole; -1: not used yet.
    std::vector<int> numbers_;
    std::map<int, int> place_of_result_;
    int saved_ = -1;
};

/// The buffers that the launches from `begin` on use, and the results `results`.
std::vector<bool> used(const Schedule& whole, int begin, const std::vector<int>& results) {
    std::vector<bool> used(whole.buffers.size(), false);
    for (size_t l = size_t(begin); l < whole.launches.size(); ++l) {
        const Launch& launch = whole.launches[l];
        for (int k : launch.kernels)
            for (const KernelLaunch::Operand& operand : whole.kernels[size_t(k)].operands)
                used[size_t(operand.buffer)] = true;
        if (launch.library_call < 0) continue;
        for (const View& view : whole.library_calls[size_t(launch.library_call)].inputs)
            used[size_t(view.buffer)] = true;
    }
    std::vector<int> buffer_of(whole.input_types.size(), -1);
    for (size_t b = 0; b < whole.buffers.size(); ++b)
        if (whole.buffers[b].place == Buffer::Place::input)
            buffer_of[size_t(whole.buffers[b].index)] = int(b);
    for (int r : results)
        if (const Result& result = whole.results[size_t(r)]; result.input >= 0)
            used[size_t(buffer_of[size_t(result.input)])] = true;
    return used;
}

}  // namespace

DividedSchedule divide(Schedule whole) {
    CATENA_ASSERT(whole.cut.launch >= 0, "a schedule in one part cannot be divided");
    const std::vector<int> first_results = results_of(whole, true),
                           second_results = results_of(whole, false);
    DividedSchedule divided;
    std::vector<int> same(whole.input_types.size()), input_of(whole.input_types.size(), -1);
    Part first(whole, 0, whole.cut.launch),
        second(whole, whole.cut.launch, int(whole.launches.size()));
    std::vector<int> buffer_of(whole.input_types.size(), -1);
    for (size_t b = 0; b < whole.buffers.size(); ++b)
        if (whole.buffers[b].place == Buffer::Place::input)
            buffer_of[size_t(whole.buffers[b].index)] = int(b);
    for (int i = 0; i < int(same.size()); ++i) same[size_t(i)] = i;
    for (int i = 0; i < whole.cut.inputs; ++i)
        first.add_input(whole.input_types[size_t(i)], buffer_of[size_t(i)]);
    first.set_saved(Buffer::Place::output);
    first.add_results(first_results, same);

    const std::vector<bool> is_used = used(whole, whole.cut.launch, second_results);
    for (int i = 0; i < int(same.size()); ++i) {
        if (!is_used[size_t(buffer_of[size_t(i)])]) continue;
        input_of[size_t(i)] = int(divided.second_inputs.size());
        divided.second_inputs.push_back(i);
        second.add_input(whole.input_types[size_t(i)], buffer_of[size_t(i)]);
    }
    for (size_t i = 0; i < first_results.size(); ++i) {
        const Result& result = whole.results[size_t(first_results[i])];
        if (result.input >= 0 || !is_used[size_t(result.view.buffer)] ||
            whole.buffers[size_t(result.view.buffer)].index != first_results[i])
            continue;
        divided.second_inputs.push_back(-1 - int(i));
        second.add_input(result.view.type, result.view.buffer);
    }
    second.set_saved(Buffer::Place::input);
    second.add_results(second_results, input_of);
    divided.first = first.finish();
    divided.second = second.finish();
    divided.second.info.name += "_backward";
    ExecutableInfo& info = divided.first.info;  // What was made for both.
    info.channels_last = whole.info.channels_last;
    info.code_bytes = whole.info.code_bytes;
    info.bytes = whole.info.bytes;
    info.compile_seconds = whole.info.compile_seconds;
    info.notes = whole.info.notes;
    return divided;
}

}  // namespace catena::program
