#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/graph/trace/trace.h"
#include "runtime/program/stream/rolled_stream.h"
#include "runtime/program/stream/schedule_stream.h"

namespace catena::capture {

/// Recordings of the same code that differ only in how many iterations its loops had, as by the
/// length of a text, and the schedules that were compiled for some of these lengths. For another
/// length the schedule is derived by repeating the part of the compiled schedules that belongs to
/// one iteration, provided that the new recording repeats in the same way.
class LoopLine {
public:
    /// A line through two recordings and their compiled schedules. Null if they do not differ in
    /// the number of iterations only.
    static std::unique_ptr<LoopLine> through(const program::NumberStream& shorter,
                                             const program::ScheduleStream& compiled_shorter,
                                             const program::NumberStream& longer,
                                             const program::ScheduleStream& compiled_longer,
                                             int64_t most_turns);

    /// The number of iterations that the recording has more than the longer of the first two.
    /// Nothing if it is a different recording, or has a size that changes and is 0, 1 or equal to
    /// another one: for those the passes may make a different program.
    std::optional<int64_t> position_of(const program::NumberStream& recording) const;

    /// For lengths that keep growing and so are never between compiled ones: the position of a
    /// longer recording to compile, so that this one lies between. Nothing if it does already, or
    /// if a longer program had a different form.
    std::optional<int64_t> beyond(int64_t position) const;
    /// The recording at a position, made from `longer`, the longer of the first two recordings.
    /// Nothing if there is none.
    std::optional<Trace> trace_at(int64_t position, const Trace& longer) const;

    /// Adds the program compiled for the recording at this position, which confirms or refutes the
    /// line. True if the program has the line's form.
    bool add(int64_t position, const program::ScheduleStream& compiled);

    struct Derived {
        /// The schedule, derived from that of the longer of the first two recordings.
        program::Copied copied;
        program::NumberStream tokens;  ///< The numbers of the schedule that compiling would give.
    };
    /// The schedule at a position; nothing if it is not certain. A third length must have confirmed
    /// the line, compiled lengths must lie on both sides, and none between them may have a
    /// different form (a sum of few rows is not divided into blocks).
    std::optional<Derived> schedule_at(int64_t position) const;

private:
    LoopLine(program::RolledStream recording, program::RolledStream schedule,
             program::ScheduleStream compiled, int64_t turns);
    bool is_ordinary(int64_t position) const;

    program::RolledStream recording_, schedule_;
    std::vector<program::RolledStream::Size> sizes_;
    /// The schedule of the longer of the first two recordings, as a stream.
    program::ScheduleStream compiled_;
    bool is_confirmed_ = false;
    int64_t first_, last_ = 0;     ///< The smallest and the largest compiled position of this form.
    std::vector<int64_t> others_;  ///< Compiled positions of another form.
};

}  // namespace catena::capture
