#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/graph/trace.h"
#include "runtime/program/stream/rolled_stream.h"
#include "runtime/program/stream/schedule_stream.h"

namespace catena::capture {

/// Recordings of the same code that differ in how often its loops were run, as by the length of a
/// text, and the schedules that were compiled for some of these lengths. A further recording that
/// is exactly the rolled one at its length has the schedule that is rolled in the same way: each
/// turn of its loops is to its neighbours what a turn in the compiled programs is to its own.
class LoopLine {
public:
    /// Two recordings and what they were compiled to. Null if they do not differ in the turns of
    /// loops only.
    static std::unique_ptr<LoopLine> through(const program::NumberStream& shorter,
                                             const program::ScheduleStream& compiled_shorter,
                                             const program::NumberStream& longer,
                                             const program::ScheduleStream& compiled_longer,
                                             int64_t most_turns);

    /// How many turns more the recording has than the longer of the two; nothing if it is another
    /// one, or of a length for which the passes may make another program: where a size that changes
    /// is 0, 1 or equal to another one.
    std::optional<int64_t> position_of(const program::NumberStream& recording) const;

    /// For lengths that grow, which are never between compiled ones: a longer one to compile, so
    /// that this one lies between. Nothing if it does already, or a longer program had another
    /// form.
    std::optional<int64_t> beyond(int64_t position) const;
    /// The recording at a position; `longer`: that of the longer of the two. Nothing if there is
    /// none.
    std::optional<Trace> trace_at(int64_t position, const Trace& longer) const;

    /// The program compiled for a recording at this position confirms or refutes the line; whether
    /// it has its form.
    bool add(int64_t position, const program::ScheduleStream& compiled);

    struct Derived {
        program::Copied copied;        ///< From the longer of the first two.
        program::NumberStream tokens;  ///< As compiling would give.
    };
    /// Nothing if it is not sure: a third length must have confirmed the line, and compiled lengths
    /// lie on both sides, none of them between of another form (a sum of few rows is not divided
    /// into blocks).
    std::optional<Derived> schedule_at(int64_t position) const;

private:
    LoopLine(program::RolledStream recording, program::RolledStream schedule,
             program::ScheduleStream compiled, int64_t turns);
    bool is_ordinary(int64_t position) const;

    program::RolledStream recording_, schedule_;
    std::vector<program::RolledStream::Size> sizes_;
    program::ScheduleStream compiled_;  ///< The longer.
    bool is_confirmed_ = false;
    int64_t first_, last_ = 0;     ///< Compiled positions of this form.
    std::vector<int64_t> others_;  ///< Compiled positions of another form.
};

}  // namespace catena::capture
