#include "frontend/capture/planned/launch_relations.h"

#include <algorithm>
#include <span>

#include "frontend/capture/planned/launch_wants.h"
#include "frontend/capture/planned/number_matches.h"

namespace catena::capture {
namespace {

class Relating {
public:
    Relating(const program::Schedule& schedule, const Trace& trace)
        : s_(schedule),
          t_(trace),
          launches_(schedule, trace),
          units_(launches_.units()),
          places_(launches_.places()),
          copied_(units_.size(), -1),
          hashes_(units_.size(), 0) {}

    Relations run() {
        for (size_t r = 0; r < s_.results.size(); ++r) note_copy(r);
        Relations made{std::vector<Relation>(s_.kernels.size()),
                       std::vector<Relation>(s_.library_calls.size()),
                       {}};
        for (const program::Launch& launch : s_.launches) {
            for (int k : launch.kernels) made.kernels[size_t(k)] = relation_of(size_t(k));
            if (launch.library_call >= 0)
                made.calls[size_t(launch.library_call)] =
                    relation_of(s_.kernels.size() + size_t(launch.library_call));
        }
        for (size_t r = 0; r < s_.results.size(); ++r)
            made.results.push_back(relation_of_result(r));
        explain_by_kind(made);
        return made;
    }

private:
    static constexpr uint64_t copied_result = 3, beside = 5, given_input = 7;

    int value_of_result(size_t r) const {
        return r < t_.outputs.size() ? t_.outputs[r] : t_.assigns[r - t_.outputs.size()].value;
    }

    /// A unit that computes no step may copy a result.
    void note_copy(size_t r) {
        if (s_.results[r].input >= 0) return;
        const int writer = units_.writer_of(s_.results[r].view.buffer).unit;
        if (writer >= 0 && units_[size_t(writer)].steps.empty())
            copied_[size_t(writer)] = value_of_result(r);
    }

    Relation relation_of(size_t u) {
        const ScheduleUnit& unit = units_[u];
        Relation relation;
        if (!launches_.find(u, copied_[u])) return relation;
        std::vector<uint64_t> steps, sources;
        for (int step : unit.steps) steps.push_back(launches_.identity(step));
        relation.steps = hash_of_set(steps);
        hash_of_set(launches_.wanted());
        relation.wanted = launches_.wanted();
        add_operands(u, relation);
        add_scalars(unit, relation);
        add_exact(unit, relation);
        for (const Relation::Operand& operand : relation.operands)
            sources.push_back(operand.source);
        hashes_[u] = hash_of(relation.steps, hash_of_set(sources));
        return relation;
    }

    //---- operands

    void add_operands(size_t u, Relation& relation) {
        const ScheduleUnit& unit = units_[u];
        const Shape& made = shape_made(unit);
        const std::vector<Want>& all = launches_.wants();
        size_t next = 0;
        for (size_t i = 0; i < unit.reads.size(); ++i) {
            Relation::Operand& operand = relation.operands.emplace_back();
            const size_t first = next;
            while (next < all.size() && all[next].read == int(i)) ++next;
            const std::span<const Want> wants(all.data() + first, next - first);
            operand.source = wants.empty() ? source_beside(unit, unit.reads[i].buffer)
                                           : source_of(wants, int(i));
            const NumberMatches matches(wants.empty() ? made : shape_of(wants[0].value),
                                        wants.empty() ? Shape() : shape_of(wants[0].source));
            for (int64_t number : unit.reads[i].numbers)
                operand.numbers.push_back(
                    matches.of(number) |
                    uint64_t(!wants.empty() && is_stride(places_.of(wants[0].value), number))
                        << 63);
            operand.begins = begins(wants, unit.reads[i].offset);
            if (operand.source % 2 == 0 && operand.source != 0)
                known_by_kind_.push_back({u, i, units_.writer_of(unit.reads[i].buffer).unit});
        }
        const NumberMatches matches(made, all.empty() ? Shape() : shape_of(all[0].value));
        for (const ScheduleUnit::Operand& write : unit.writes) {
            Relation::Operand& operand = relation.operands.emplace_back();
            operand.source = hash_of(overwritten(unit, write.buffer),
                                     uint64_t(s_.buffers[size_t(write.buffer)].place)) |
                             1;
            operand.begins = uint64_t(write.offset == 0);
            for (int64_t number : write.numbers) operand.numbers.push_back(matches.of(number));
        }
        const NumberMatches of_step(
            made, unit.steps.empty() ? Dims() : integers_of(t_.steps[size_t(unit.steps[0])]));
        for (int64_t number : unit.numbers)
            relation.numbers.push_back(unit.is_call ? of_step.of(number) : matches.of(number));
    }

    /// The operand whose memory a buffer takes, from 2 on; 1: one that is not read here, 0: none.
    uint64_t overwritten(const ScheduleUnit& unit, int buffer) const {
        const int over = s_.buffers[size_t(buffer)].over;
        if (over < 0) return 0;
        const auto read = std::ranges::find(unit.reads, over, &ScheduleUnit::Operand::buffer);
        return read == unit.reads.end() ? 1 : 2 + uint64_t(read - unit.reads.begin());
    }

    /// Adds the numbers of a launch whose steps others equal: where equal steps read and write
    /// arrays of the same sizes, all numbers are the same, but for where operands begin.
    void add_exact(const ScheduleUnit& unit, Relation& relation) const {
        std::vector<uint64_t> sizes;
        for (int step : unit.steps) sizes.push_back(launches_.sizes_of(step));
        for (const Want& want : launches_.wants()) {
            const TracePlaces::Place& place = places_.of(want.value);
            sizes.push_back(
                hash_of_numbers(hash_of(want.hash, place.is_exact), place.view.strides));
        }
        relation.sizes = hash_of(hash_of_set(sizes), unit.steps.size());
        for (const auto* operands : {&unit.reads, &unit.writes})
            for (const ScheduleUnit::Operand& operand : *operands) {
                relation.sizes = hash_of(relation.sizes, s_.buffers[size_t(operand.buffer)].bytes);
                relation.exact.insert(relation.exact.end(), operand.numbers.begin(),
                                      operand.numbers.end());
            }
        relation.exact.insert(relation.exact.end(), unit.numbers.begin(), unit.numbers.end());
    }

    /// The first integers among the attributes.
    static Dims integers_of(const Trace::Step& step) {
        std::vector<int64_t> integers;
        for (const Attributes::Entry& entry : step.attributes.entries()) {
            if (const Dims* dims = std::get_if<Dims>(&entry.value))
                integers.insert(integers.end(), dims->begin(), dims->end());
            else if (const int64_t* integer = std::get_if<int64_t>(&entry.value))
                integers.push_back(*integer);
        }
        integers.resize(std::min(integers.size(), size_t(max_rank)));
        return Dims(integers);
    }

    static bool is_stride(const TracePlaces::Place& place, int64_t number) {
        return place.value() >= 0 && place.is_exact &&
               std::ranges::find(place.view.strides, number) != place.view.strides.end();
    }

    const Shape& shape_of(int value) const { return t_.values[size_t(value)].type.shape; }

    /// The shape of the steps' first result that has the most dimensions.
    const Shape& shape_made(const ScheduleUnit& unit) const {
        static const Shape none{};
        const Shape* shape = &none;
        for (int step : unit.steps)
            for (int v : t_.steps[size_t(step)].outputs)
                if (shape_of(v).rank() > shape->rank()) shape = &shape_of(v);
        return *shape;
    }

    static uint64_t source_of(std::span<const Want> wants, int read) {
        std::vector<uint64_t> hashes;
        for (size_t i = 0, end = 0; i < wants.size(); i = end) {
            while (end < wants.size() && wants[end].hash == wants[i].hash) ++end;
            // All steps of a kind want the operand, or each a part of it, or one wants each of
            // several operands.
            if (int(end - i) >= wants[i].turns || wants[i].is_gathered)
                hashes.push_back(wants[i].hash);
            else
                for (size_t j = i; j < end; ++j)
                    hashes.push_back(hash_of(wants[j].hash, wants[j].turn - read));
        }
        return hash_of_set(hashes) | 1;
    }

    /// A unit that computes a part of the same steps makes what they need beside it: the results of
    /// blocks, or operands side by side. Of any other unit only its kind is known.
    uint64_t source_beside(const ScheduleUnit& unit, int buffer) const {
        const ScheduleUnits::Writer& writer = units_.writer_of(buffer);
        if (writer.unit < 0) return 0;
        std::vector<uint64_t> shared;
        for (int step : units_[size_t(writer.unit)].steps)
            if (std::ranges::find(unit.steps, step) != unit.steps.end())
                shared.push_back(launches_.identity(step));
        const bool is_known = !shared.empty();
        const uint64_t hash =
            hash_of(beside, hashes_[size_t(writer.unit)], writer.output, hash_of_set(shared));
        return is_known ? hash | 1 : hash & ~uint64_t(1);
    }

    /// What is made beside by a unit of a kind that there is once can be no other unit's.
    void explain_by_kind(Relations& made) const {
        for (const KnownByKind& known : known_by_kind_) {
            const size_t kernels = s_.kernels.size();
            Relation& relation =
                known.unit < kernels ? made.kernels[known.unit] : made.calls[known.unit - kernels];
            if (std::ranges::count(hashes_, hashes_[size_t(known.writer)]) == 1)
                relation.operands[known.operand].source |= 1;
        }
    }

    static uint64_t begins(std::span<const Want> wants, int64_t offset) {
        if (wants.empty()) return uint64_t(offset == 0);
        uint64_t bits = 0;
        for (const Want& want : wants) bits |= want.begins;
        return bits;
    }

    void add_scalars(const ScheduleUnit& unit, Relation& relation) const {
        for (int scalar : unit.scalars) {
            std::vector<uint64_t> hashes;
            for (size_t k = 0; k < unit.steps.size(); ++k)
                add_scalar(unit.steps[k], scalar, launches_.turn(k), 0, hashes);
            // Or of a step that has become part of this one.
            for (size_t k = 0; k < unit.steps.size() && hashes.empty(); ++k)
                add_scalar(unit.steps[k], scalar, launches_.turn(k), farthest_part, hashes);
            relation.scalars.push_back(hashes.empty() ? uint64_t(scalar) << 1
                                                      : hash_of_set(hashes) | 1);
        }
    }

    static constexpr int farthest_part = 6;

    /// Adds where a step has the scalar, or one that makes what it reads, so many steps before.
    void add_scalar(int step, int scalar, int turn, int before,
                    std::vector<uint64_t>& hashes) const {
        const Trace::Step& at = t_.steps[size_t(step)];
        for (size_t j = 0; j < at.scalars.size(); ++j)
            if (at.scalars[j] == scalar)
                hashes.push_back(hash_of(launches_.identity(step), turn, j, before));
        for (size_t i = 0; before > 0 && i < at.inputs.size(); ++i)
            if (const int maker = places_.maker_of(at.inputs[i]); maker >= 0)
                add_scalar(maker, scalar, turn, before - 1, hashes);
    }

    //---- results

    /// Whether a result may take the memory of a state: only the state's new content may.
    bool may_take_memory(size_t r) const {
        const program::Result& result = s_.results[r];
        const int donor = result.input >= 0 ? -1 : s_.buffers[size_t(result.view.buffer)].donor;
        if (donor < 0) return true;
        for (size_t i = 0; i < t_.assigns.size(); ++i) {
            const program::Result& assigned = s_.results[t_.outputs.size() + i];
            if (t_.assigns[i].target == t_.inputs[size_t(donor)] && assigned.input < 0 &&
                assigned.view.buffer == result.view.buffer)
                return true;
        }
        return false;
    }

    Relation relation_of_result(size_t r) {
        const program::Result& result = s_.results[r];
        const int value = value_of_result(r), source = places_.of(value).value();
        Relation relation;
        Relation::Operand& operand = relation.operands.emplace_back();
        operand.begins = uint64_t(may_take_memory(r));
        if (result.input >= 0) {
            if (source >= 0 && t_.inputs[size_t(result.input)] == source)
                operand.source = given_input;
            return relation;
        }
        const ScheduleUnits::Writer& writer = units_.writer_of(result.view.buffer);
        if (writer.unit >= 0 && copied_[size_t(writer.unit)] == value)
            operand.source = copied_result;
        else
            operand.source = source_of_result(value, source, result.view.buffer);
        return relation;
    }

    /// Even, unless all that has become a part of the result was made there.
    uint64_t source_of_result(int value, int source, int buffer) {
        std::vector<int> sources;
        if (source >= 0)
            sources.push_back(source);
        else
            launches_.places().find_sources(value, sources);
        std::vector<uint64_t> hashes;
        size_t found = 0;
        for (int each : sources) {
            const size_t before = hashes.size();
            launches_.for_copies(each, [&](int b, uint64_t hash) {
                if (b == buffer) hashes.push_back(hash);
            });
            found += hashes.size() > before;
        }
        if (found == 0) return 0;
        const uint64_t hash = hash_of_set(hashes);
        return found == sources.size() ? hash | 1 : hash & ~uint64_t(1);
    }

    const program::Schedule& s_;
    const Trace& t_;
    LaunchWants launches_;
    const ScheduleUnits& units_;
    const TracePlaces& places_;
    std::vector<int> copied_;       ///< For each unit, the result that it copies; -1: none.
    std::vector<uint64_t> hashes_;  ///< For each unit, the hash of its relation.
    struct KnownByKind {
        size_t unit, operand;
        int writer;
    };
    std::vector<KnownByKind> known_by_kind_;  ///< Operands of whose writers only that is known.
};

/// Whether the schedule names no input that the recording has not.
bool names_inputs_of(const program::Schedule& schedule, const Trace& trace) {
    const auto within = [&](int input) { return input < int(trace.inputs.size()); };
    return schedule.input_types.size() == trace.inputs.size() &&
           schedule.results.size() == trace.outputs.size() + trace.assigns.size() &&
           std::ranges::all_of(
               schedule.results,
               [&](const program::Result& result) { return within(result.input); }) &&
           std::ranges::all_of(schedule.buffers, [&](const program::Buffer& buffer) {
               return within(buffer.donor) && (buffer.place != program::Buffer::Place::input ||
                                               (buffer.index >= 0 && within(buffer.index)));
           });
}

}  // namespace

Relations relations(const program::Schedule& schedule, const Trace& trace) {
    return names_inputs_of(schedule, trace) ? Relating(schedule, trace).run() : Relations();
}

}  // namespace catena::capture
