#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "frontend/capture/planned/launch_relations.h"
#include "frontend/capture/planned/loop_line.h"
#include "runtime/graph/trace/trace.h"
#include "runtime/program/schedule/executable.h"

namespace catena::capture {

/// The programs of a region whose recordings differ in how many iterations loops had. Not
/// synchronised.
class KnownLoops {
public:
    /// A function that compiles a trace; null if it cannot be compiled, or not to a schedule.
    using Compile = std::function<std::shared_ptr<const program::Schedule>(const Trace& trace)>;

    /// The planned schedule of a recording whose number of iterations lies on a known line; nothing
    /// if it has to be compiled. It may compile a longer recording, so that this one lies between
    /// compiled ones.
    std::optional<LoopLine::Derived> schedule_for(const Trace& trace, bool fast_math,
                                                  const Compile& compile);
    /// Remembers a compiled program. The executable owns the schedule; neither it nor the trace is
    /// kept alive by this.
    void remember(const std::shared_ptr<const Trace>& trace,
                  const std::shared_ptr<Executable>& executable,
                  const std::shared_ptr<const program::Schedule>& schedule, bool fast_math);

private:
    struct Single {
        std::weak_ptr<const Trace> trace;
        std::weak_ptr<Executable> executable;
        const program::Schedule* schedule = nullptr;  ///< The executable's schedule.
        bool fast_math = false;
    };
    struct Line {
        std::unique_ptr<LoopLine> loops;
        bool fast_math = false;
        Trace longer;  ///< The recording of the longer of its first two programs, without arrays
                       ///< and states.
        /// The relations of the launches of the longer program to its recording.
        Relations relations;
        bool reaches_beyond = true;
    };
    static void reach_beyond(Line& line, int64_t position, const Compile& compile);
    void begin_line(const Trace& trace, const program::Schedule& schedule, bool fast_math);

    std::deque<Single> singles_;  ///< Programs that are on no line yet, the latest first.
    std::deque<Line> lines_;      ///< Lines of programs, the latest first.
};

}  // namespace catena::capture
