#include "frontend/capture/planned/known_loops.h"

#include <algorithm>
#include <cstdlib>

#include "frontend/capture/planned/trace_numbers.h"
#include "frontend/capture/planned/trace_stream.h"
#include "runtime/core/system/environment.h"

namespace catena::capture {
namespace {

constexpr size_t most_single_loops = 4, most_loop_lines = 8;
/// Longer recordings take seconds to compile, which is not done ahead.
constexpr size_t most_steps = 16 * 1024;

bool plans_loops() {
    static const bool on = environment::flag("CATENA_PLAN_LOOPS", true);
    return on;
}

}  // namespace

std::optional<LoopLine::Derived> KnownLoops::schedule_for(const Trace& trace, bool fast_math,
                                                          const Compile& compile) {
    if (lines_.empty() || !plans_loops()) return std::nullopt;
    const program::NumberStream recording = stream_of(trace);
    for (size_t i = 0; i < lines_.size(); ++i) {
        if (lines_[i].fast_math != fast_math) continue;
        const std::optional<int64_t> position = lines_[i].loops->position_of(recording);
        if (!position) continue;
        reach_beyond(lines_[i], *position, compile);
        std::optional<LoopLine::Derived> derived = lines_[i].loops->schedule_at(*position);
        if (derived && follows(lines_[i].relations, derived->copied, trace)) {
            std::rotate(lines_.begin(), lines_.begin() + ptrdiff_t(i),
                        lines_.begin() + ptrdiff_t(i) + 1);
            return derived;
        }
    }
    return std::nullopt;
}

/// Compiles a longer program of the line's form; if there is none, nothing happens, and is not
/// tried again.
void KnownLoops::reach_beyond(Line& line, int64_t position, const Compile& compile) {
    const std::optional<int64_t> further =
        line.reaches_beyond ? line.loops->beyond(position) : std::nullopt;
    if (!further) return;
    line.reaches_beyond = false;
    const std::optional<Trace> trace = line.loops->trace_at(*further, line.longer);
    if (!trace || trace->steps.size() > most_steps) return;
    const std::shared_ptr<const program::Schedule> schedule = compile(*trace);
    const auto compiled = schedule ? program::ScheduleStream::of(*schedule) : std::nullopt;
    line.reaches_beyond = compiled && line.loops->add(*further, *compiled);
}

void KnownLoops::remember(const std::shared_ptr<const Trace>& trace,
                          const std::shared_ptr<Executable>& executable,
                          const std::shared_ptr<const program::Schedule>& schedule,
                          bool fast_math) {
    if (!plans_loops()) return;
    if (!lines_.empty()) {
        const program::NumberStream recording = stream_of(*trace);
        std::optional<program::ScheduleStream> compiled;
        for (Line& line : lines_) {
            const std::optional<int64_t> position =
                line.fast_math == fast_math ? line.loops->position_of(recording) : std::nullopt;
            if (!position) continue;
            if (!compiled) compiled = program::ScheduleStream::of(*schedule);
            if (!compiled || line.loops->add(*position, *compiled)) return;
        }
    }
    begin_line(*trace, *schedule, fast_math);
    singles_.push_front({trace, executable, schedule.get(), fast_math});
    if (singles_.size() > most_single_loops) singles_.pop_back();
}

/// Begins a line through this program and another single one.
void KnownLoops::begin_line(const Trace& trace, const program::Schedule& schedule, bool fast_math) {
    program::NumberStream recording;
    std::optional<program::ScheduleStream> compiled;
    for (const Single& single : singles_) {
        const std::shared_ptr<const Trace> other = single.trace.lock();
        const std::shared_ptr<Executable> executable = single.executable.lock();
        if (!other || !executable || single.fast_math != fast_math || other->name != trace.name)
            continue;
        const int64_t turns = std::abs(int64_t(other->steps.size()) - int64_t(trace.steps.size()));
        if (turns == 0) continue;
        const std::optional<program::ScheduleStream> theirs =
            program::ScheduleStream::of(*single.schedule);
        if (!compiled) {
            compiled = program::ScheduleStream::of(schedule);
            recording = stream_of(trace);
        }
        if (!theirs || !compiled) continue;
        const program::NumberStream their_recording = stream_of(*other);
        const bool is_longer = recording.size() > their_recording.size();
        std::unique_ptr<LoopLine> line =
            is_longer ? LoopLine::through(their_recording, *theirs, recording, *compiled, turns)
                      : LoopLine::through(recording, *compiled, their_recording, *theirs, turns);
        if (!line) continue;
        const Trace& longer = is_longer ? trace : *other;
        lines_.push_front({std::move(line), fast_math, without_owners(longer),
                           relations(is_longer ? schedule : *single.schedule, longer)});
        if (lines_.size() > most_loop_lines) lines_.pop_back();
        return;
    }
}

}  // namespace catena::capture
