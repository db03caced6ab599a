#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "frontend/capture/planned/hashes.h"
#include "frontend/capture/planned/schedule_units.h"
#include "frontend/capture/planned/trace_places.h"

namespace catena::capture {

/// That a step of the recording wants, as one of its inputs, what an operand of its unit holds.
struct Want {
    int read = 0;                 ///< Number of the operand.
    uint64_t hash = 0;            ///< Equal for steps that do the same, as in each turn of a loop.
    int turn = 0, turns = 1;      ///< Which of the unit's steps that do the same it is.
    int value = -1, source = -1;  ///< The step's input, and the value that it is a view of.
    uint64_t begins =
        0;  ///< In which ways the recording says that the operand begins there, a bit each.
    int64_t begin = -1;  ///< Of places of rows: the element where those of the wanted rows begin.
                         ///< -1: it is wanted itself.
    bool is_gathered =
        false;  ///< The operand was made of it and of what other such steps want, in their order.
    friend bool operator<(const Want& a, const Want& b) {
        return std::tie(a.read, a.hash, a.turn) < std::tie(b.read, b.hash, b.turn);
    }
};

/// Who makes what the launches of a schedule read, by its recording.
class LaunchWants {
public:
    LaunchWants(const program::Schedule& schedule, const Trace& trace);

    const ScheduleUnits& units() const { return units_; }
    TracePlaces& places() { return places_; }
    uint64_t identity(int step) const {
        return identities_[size_t(step)];
    }  ///< Of a step without its numbers and operands.
    uint64_t sizes_of(int step) const;  ///< A hash of a step with its numbers.

    /// Finds what the steps of a unit want; false if it has steps that the recording has not.
    /// `copied`: a value that it copies; -1: none.
    bool find(size_t unit, int copied);
    const std::vector<Want>& wants() const { return wants_; }  ///< Sorted.
    /// A hash for each array that a step wants: whether all of it is read.
    std::vector<uint64_t>& wanted() { return wanted_; }
    int turn(size_t i) const {
        return turns_[i].first;
    }  ///< Which of the unit's steps that do the same its step i is.

    /// Calls f(buffer, hash) for all buffers that may hold this value: an input, or of a computed
    /// step.
    template <class F>
    void for_copies(int value, F f) const {
        const int maker = places_.maker_of(value);
        if (maker < 0 && buffer_of_input_[size_t(value)] >= 0)
            f(buffer_of_input_[size_t(value)], input);
        if (maker < 0) return;
        for (int w : units_.computing(maker))
            for (size_t o = 0; o < units_[size_t(w)].writes.size(); ++o)
                f(units_[size_t(w)].writes[o].buffer,
                  hash_of(identity(maker), place_of_output(maker, value), o));
    }

private:
    static constexpr uint64_t input = 7;
    bool is_made_here(int value) const;
    bool mark(const ScheduleUnit& unit, int number);
    void want(const ScheduleUnit& unit, int place_in_list, int value, uint64_t by,
              std::pair<int, int> turn);
    void want_places(const ScheduleUnit& unit, int value, uint64_t by, std::pair<int, int> turn);
    bool want_source(const ScheduleUnit& unit, int place_in_list, const Want& want);
    void find_gathered(const ScheduleUnit& unit, const Want& want, int buffer, uint64_t hash);
    int place_in(int unit, const Want& want, int buffer) const;
    uint64_t begins(const Want& want, int64_t offset) const;
    const Dims& offsets_beside(int value) const;
    uint64_t place_of_output(int step, int value) const;

    const Trace& t_;
    const ScheduleUnits units_;
    TracePlaces places_;
    std::vector<uint64_t> identities_;
    std::vector<int> buffer_of_input_;  ///< By value.

    mutable std::vector<std::optional<Dims>>
        beside_;  ///< By value: see offsets_beside(), where it has been asked for.

    // Of the unit that is looked at.
    int marked_unit_ = -1;
    std::vector<int> marked_, first_read_,
        next_read_;  ///< Buffers that it reads; by buffer: the first operand, by operand: the next.
    std::vector<int> unit_of_step_;
    std::vector<std::pair<int, int>>
        turns_;  ///< By step of the unit: which of the steps that do the same it is, of how many.
    std::vector<Want> wants_;
    std::vector<uint64_t> wanted_;
    std::vector<int> sources_;
};

}  // namespace catena::capture
