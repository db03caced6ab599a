#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "frontend/capture/planned/hashes.h"
#include "frontend/capture/planned/schedule_units.h"
#include "frontend/capture/planned/trace_places.h"

namespace catena::capture {

/// A need: a step of the recording reads, as one of its inputs, what an operand of its launch
/// (unit) holds.
struct Want {
    int read = 0;  ///< Index of the operand.
    /// A hash of the step that is equal for steps that do the same, as in each iteration of a loop.
    uint64_t hash = 0;
    /// The step's number among the unit's steps with this hash, and how many these are.
    int turn = 0, turns = 1;
    int value = -1, source = -1;  ///< The step's input, and the value that it is a view of.
    /// A bit set of the ways in which the recording determines that the operand begins there.
    uint64_t begins = 0;
    /// For a need of row numbers of a gather: the element at which those of the needed rows begin.
    /// -1: the array itself is needed.
    int64_t begin = -1;
    /// True if the operand was made by putting this value and those of the other steps with this
    /// hash together, in order.
    bool is_gathered = false;
    friend bool operator<(const Want& a, const Want& b) {
        return std::tie(a.read, a.hash, a.turn) < std::tie(b.read, b.hash, b.turn);
    }
};

/// Finds, by the recording, which step computes what each launch of a schedule reads.
class LaunchWants {
public:
    LaunchWants(const program::Schedule& schedule, const Trace& trace);

    const ScheduleUnits& units() const { return units_; }
    TracePlaces& places() { return places_; }
    /// A hash of a step without its numbers and operands.
    uint64_t identity(int step) const { return identities_[size_t(step)]; }
    /// A hash of a step with its numbers.
    uint64_t sizes_of(int step) const;

    /// Finds the needs of a unit's steps; false if it has steps that the recording has not.
    /// `copied`: the value that the unit copies; -1: none.
    bool find(size_t unit, int copied);
    /// The needs found last, sorted.
    const std::vector<Want>& wants() const { return wants_; }
    /// For each array that a step needs, a hash of it and of whether all of it is read.
    std::vector<uint64_t>& wanted() { return wanted_; }
    /// The number of the unit's step i among the unit's steps that do the same.
    int turn(size_t i) const { return turns_[i].first; }

    /// Calls f(buffer, hash) for all buffers that may hold this value, which is an input or made by
    /// a computed step.
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
    /// The buffer of each value that is an input of the program.
    std::vector<int> buffer_of_input_;

    /// Results of offsets_beside() by value, where it has been called.
    mutable std::vector<std::optional<Dims>> beside_;

    // Of the unit that is looked at.
    int marked_unit_ = -1;
    /// Lists of a unit's operands: the buffers that it reads; for each buffer the first operand;
    /// for each operand the next of the same buffer.
    std::vector<int> marked_, first_read_, next_read_;
    std::vector<int> unit_of_step_;
    /// For each step of the unit: its number among the steps that do the same, and how many these
    /// are.
    std::vector<std::pair<int, int>> turns_;
    std::vector<Want> wants_;
    std::vector<uint64_t> wanted_;
    std::vector<int> sources_;
};

}  // namespace catena::capture
