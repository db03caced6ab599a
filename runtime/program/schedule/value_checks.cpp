#include "runtime/program/schedule/value_checks.h"

#include <algorithm>

namespace catena::program {

namespace {

std::optional<CheckedRanges> ranges_of(const LibraryCall& call) {
    SmallVector<Type, 4> types;
    for (const View& input : call.inputs) types.push_back(input.type);
    return checked_ranges({*call.op, types, call.attributes});
}

}  // namespace

bool ValueChecks::is_accepted(const View& numbers, const CheckedRange& range) const {
    if (size_t(numbers.buffer) >= accepted_.size()) return false;
    return std::ranges::any_of(accepted_[size_t(numbers.buffer)], [&](const Accepted& known) {
        const bool same_numbers = known.numbers.offset == numbers.offset &&
                                  known.numbers.type == numbers.type &&
                                  known.numbers.strides == numbers.strides;
        return same_numbers && known.range.low >= range.low && known.range.high <= range.high &&
               (!known.range.ignored || known.range.ignored == range.ignored);
    });
}

bool ValueChecks::can_fail(int library_call) const {
    const LibraryCall& call = schedule_.library_calls[size_t(library_call)];
    if (!call.op->checks_values) return false;
    const std::optional<CheckedRanges> ranges = ranges_of(call);
    return !ranges || !std::ranges::all_of(*ranges, [&](const CheckedRange& range) {
        return is_accepted(call.inputs[size_t(range.operand)], range);
    });
}

void ValueChecks::passed(int library_call) {
    const LibraryCall& call = schedule_.library_calls[size_t(library_call)];
    if (!call.op->checks_values) return;
    const std::optional<CheckedRanges> ranges = ranges_of(call);
    // A kernel without elements to read or write may skip its checks.
    auto is_empty = [](const View& view) { return element_count(view.type.shape) == 0; };
    if (!ranges || std::ranges::any_of(call.inputs, is_empty) ||
        std::ranges::any_of(call.outputs, is_empty))
        return;
    accepted_.resize(schedule_.buffers.size());
    for (const CheckedRange& range : *ranges) {
        const View& numbers = call.inputs[size_t(range.operand)];
        accepted_[size_t(numbers.buffer)].push_back({numbers, range});
    }
}

}  // namespace catena::program
