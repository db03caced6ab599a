#include "frontend/capture/planned/launch_wants.h"

#include <algorithm>
#include <utility>

#include "runtime/ops/declare/moved_rows.h"

namespace catena::capture {
namespace {

constexpr uint64_t copy_of_result = 3, gathered = 5, places_of_rows = 7;

uint64_t identity_of(const Trace::Step& step) {
    return hash_of(hash_of_code(step), uint64_t(reinterpret_cast<uintptr_t>(step.location.file)),
                   step.location.line, uint64_t(reinterpret_cast<uintptr_t>(step.function)));
}

/// The number of operands from which on a list may be of any length.
constexpr size_t least_of_list = 9;

std::vector<char> computed_steps(const program::Schedule& schedule, size_t count) {
    std::vector<char> computed(count, 0);
    auto add = [&](const std::vector<int>& steps) {
        for (int step : steps)
            if (size_t(step) < count) computed[size_t(step)] = 1;
    };
    for (const program::KernelLaunch& kernel : schedule.kernels) add(kernel.steps);
    for (const program::LibraryCall& call : schedule.library_calls) add(call.steps);
    return computed;
}

}  // namespace

LaunchWants::LaunchWants(const program::Schedule& schedule, const Trace& trace)
    : t_(trace),
      units_(schedule, trace.steps.size()),
      places_(trace, computed_steps(schedule, trace.steps.size())),
      buffer_of_input_(trace.values.size(), -1),
      beside_(trace.values.size()),
      first_read_(schedule.buffers.size(), -1),
      unit_of_step_(trace.steps.size(), -1) {
    for (size_t b = 0; b < schedule.buffers.size(); ++b)
        if (schedule.buffers[b].place == program::Buffer::Place::input)
            buffer_of_input_[size_t(trace.inputs[size_t(schedule.buffers[b].index)])] = int(b);
    for (const Trace::Step& step : trace.steps) identities_.push_back(identity_of(step));
}

bool LaunchWants::find(size_t u, int copied) {
    const ScheduleUnit& unit = units_[u];
    wants_.clear();
    wanted_.clear();
    if (!mark(unit, int(u))) return false;
    for (size_t i = 0; i < unit.steps.size(); ++i) {
        const Trace::Step& step = t_.steps[size_t(unit.steps[i])];
        for (size_t j = 0; j < step.inputs.size(); ++j) {
            const bool is_list = step.inputs.size() >= least_of_list;
            want(unit, is_list ? int(j) : -1, step.inputs[j],
                 hash_of(identity(unit.steps[i]), is_list ? least_of_list : j), turns_[i]);
        }
    }
    if (copied >= 0) want(unit, -1, copied, copy_of_result, {0, 1});
    std::sort(wants_.begin(), wants_.end());
    return true;
}

/// Marks the buffers and the steps of a unit.
bool LaunchWants::mark(const ScheduleUnit& unit, int number) {
    for (int b : marked_) first_read_[size_t(b)] = -1;
    marked_.clear();
    marked_unit_ = number;
    next_read_.assign(unit.reads.size(), -1);
    for (size_t i = unit.reads.size(); i-- > 0;) {
        marked_.push_back(unit.reads[i].buffer);
        next_read_[i] = std::exchange(first_read_[size_t(unit.reads[i].buffer)], int(i));
    }
    std::vector<std::pair<uint64_t, int>> counts;
    auto count_of = [&](int step) -> int& {
        const auto same =
            std::ranges::find(counts, identity(step), &std::pair<uint64_t, int>::first);
        return same != counts.end() ? same->second : counts.emplace_back(identity(step), 0).second;
    };
    turns_.clear();
    for (int step : unit.steps) {
        if (size_t(step) >= t_.steps.size()) return false;
        unit_of_step_[size_t(step)] = number;
        turns_.emplace_back(count_of(step)++, 0);
    }
    for (size_t i = 0; i < unit.steps.size(); ++i) turns_[i].second = count_of(unit.steps[i]);
    return true;
}

bool LaunchWants::is_made_here(int value) const {
    const int maker = places_.maker_of(value);
    return maker >= 0 && unit_of_step_[size_t(maker)] == marked_unit_;
}

/// Finds the operands that hold the value, or parts of it. `place_in_list`: of a step's operand in
/// a list of any length; -1: there is none.
void LaunchWants::want(const ScheduleUnit& unit, int place_in_list, int value, uint64_t by,
                       std::pair<int, int> turn) {
    sources_.clear();
    if (const int source = places_.of(value).value(); source >= 0)
        sources_.push_back(source);
    else
        places_.find_sources(value, sources_);
    if (std::erase_if(sources_, [&](int source) { return is_made_here(source); }) > 0)
        want_places(unit, value, by, turn);
    if (sources_.empty()) return;
    bool all = true;
    for (int source : sources_)
        all = want_source(unit, place_in_list,
                          {0, by, turn.first, turn.second, value, source, 0, -1, false}) &&
              all;
    wanted_.push_back(hash_of(by, all));
}

/// Wants the places of rows that are read elsewhere and are read here themselves.
void LaunchWants::want_places(const ScheduleUnit& unit, int value, uint64_t by,
                              std::pair<int, int> turn) {
    const TracePlaces::Place& rows = places_.of(value);
    const int maker = rows.value() >= 0 && rows.is_exact ? places_.maker_of(rows.value()) : -1;
    if (maker < 0 || rows.value() == value) return;  // Of all rows the maker itself says it.
    const Trace::Step& step = t_.steps[size_t(maker)];
    const Shape& moved = t_.values[size_t(rows.value())].type.shape;
    if (step.op->kind != Kind::gather || step.inputs.size() != 2 || moved.rank() == 0 ||
        moved[moved.rank() - 1] == 0)
        return;
    SmallVector<Type, 2> types;
    for (int v : step.inputs) types.push_back(t_.values[size_t(v)].type);
    const int64_t width = moved[moved.rank() - 1];
    if (!addition_of_moved_rows({*step.op, types, step.attributes}, Shape{1, width})) return;
    const TracePlaces::Place& places = places_.of(step.inputs[1]);
    if (places.value() < 0 || !places.is_exact || is_made_here(places.value())) return;
    want_source(unit, -1,
                {0, hash_of(by, places_of_rows), turn.first, turn.second, step.inputs[1],
                 places.value(), 0, places.view.offset + rows.view.offset / width, false});
}

/// Wants that which holds the array: of several operands those that begin where it does, if there
/// are such, which hold it side by side along the outermost axis for which that is so. False if
/// none holds it.
bool LaunchWants::want_source(const ScheduleUnit& unit, int place_in_list, const Want& want) {
    const size_t first = wants_.size();
    uint64_t best = 0;  // A bit.
    auto find_reads = [&](int buffer, uint64_t hash) {
        for (int i = first_read_[size_t(buffer)]; i >= 0; i = next_read_[size_t(i)]) {
            Want& found = wants_.emplace_back(want);
            found.read = i;
            found.hash = hash_of(want.hash, place_in_list < 0 ? 0 : place_in_list - i, hash);
            found.begins = begins(want, unit.reads[size_t(i)].offset);
            const uint64_t lowest = found.begins & -found.begins;
            if (lowest != 0 && (best == 0 || lowest < best)) best = lowest;
        }
    };
    for_copies(want.source, find_reads);
    if (wants_.size() == first)
        for_copies(want.source,
                   [&](int buffer, uint64_t hash) { find_gathered(unit, want, buffer, hash); });
    const auto begins_elsewhere = [&](const Want& each) { return (each.begins & best) != best; };
    wants_.erase(std::remove_if(wants_.begin() + ptrdiff_t(first), wants_.end(), begins_elsewhere),
                 wants_.end());
    return wants_.size() > first;
}

/// Finds the operands that another unit has made of this buffer and others: lists of what each turn
/// of a loop wants.
void LaunchWants::find_gathered(const ScheduleUnit& unit, const Want& want, int buffer,
                                uint64_t hash) {
    for (size_t i = 0; i < unit.reads.size(); ++i) {
        const ScheduleUnits::Writer& writer = units_.writer_of(unit.reads[i].buffer);
        if (writer.unit < 0 || !units_[size_t(writer.unit)].gathers) continue;
        const int place = place_in(writer.unit, want, buffer);
        if (place < 0) continue;
        Want& found = wants_.emplace_back(want);
        found.read = int(i);
        // The unit that gathers is held against what is wanted of it itself, so that a step that is
        // alone may find it anywhere in the list.
        found.hash = hash_of(want.hash, gathered, want.turns == 1 ? 0 : want.turn - place,
                             writer.output, hash);
        found.is_gathered = true;
        found.begins = uint64_t(unit.reads[i].offset == 0) << 63;
    }
}

/// The operand of a unit that is what is wanted: the first that reads the buffer, if none begins
/// where it does; -1: none reads it.
int LaunchWants::place_in(int unit, const Want& want, int buffer) const {
    const std::vector<ScheduleUnit::Operand>& reads = units_[size_t(unit)].reads;
    int first = -1;
    for (size_t i = 0; i < reads.size(); ++i) {
        if (reads[i].buffer != buffer) continue;
        if (begins(want, reads[i].offset) != 0) return int(i);
        if (first < 0) first = int(i);
    }
    return first;
}

/// An operand begins where a step wants it, or behind other results if these are computed as one,
/// side by side along an axis: a bit for each axis along which that is so.
uint64_t LaunchWants::begins(const Want& want, int64_t offset) const {
    if (want.begin >= 0) return uint64_t(want.begin == offset) << 61;
    const TracePlaces::Place& place = places_.of(want.value);
    if (place.value() < 0) return uint64_t(offset == 0) << 62;
    uint64_t bits = uint64_t(place.view.offset == offset) << 61;
    const Dims& beside = offsets_beside(want.source);
    for (int axis = 0; axis < beside.rank(); ++axis)
        bits |= uint64_t(place.view.offset + beside[axis] == offset) << axis;
    return bits;
}

/// Where the result of one of several steps that are computed as one begins, if they are side by
/// side along each axis.
const Dims& LaunchWants::offsets_beside(int value) const {
    std::optional<Dims>& known = beside_[size_t(value)];
    if (known) return *known;
    const Shape& made = t_.values[size_t(value)].type.shape;
    std::vector<int64_t> offsets(size_t(made.rank()), 0);
    const int maker = places_.maker_of(value);
    const std::span<const int> units = maker < 0 ? std::span<const int>() : units_.computing(maker);
    for (int step : units.empty() ? std::span<const int>() : units_[size_t(units[0])].steps) {
        if (step == maker) return *(known = Dims(offsets));
        if (identity(step) != identity(maker)) continue;
        const Shape& shape = t_.values[size_t(t_.steps[size_t(step)].outputs[0])].type.shape;
        int64_t size = 1;
        for (int d = std::max(shape.rank(), made.rank()) - 1; d >= 0; --d) {
            if (d < shape.rank()) size *= shape[d];
            if (d < made.rank()) offsets[size_t(d)] += size;
        }
    }
    return *(known = Dims(std::vector<int64_t>(offsets.size(), 0)));  // It is not one of them.
}

uint64_t LaunchWants::sizes_of(int s) const {
    const Trace::Step& step = t_.steps[size_t(s)];
    uint64_t hash = identity(s);
    for (const std::vector<int>* values : {&step.inputs, &step.outputs})
        for (int v : *values) hash = hash_of_numbers(hash, t_.values[size_t(v)].type.shape);
    return hash_of_numbers(hash, step.attributes);
}

uint64_t LaunchWants::place_of_output(int step, int value) const {
    const std::vector<int>& outputs = t_.steps[size_t(step)].outputs;
    return uint64_t(std::ranges::find(outputs, value) - outputs.begin());
}

}  // namespace catena::capture
