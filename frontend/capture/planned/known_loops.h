#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "frontend/capture/planned/launch_relations.h"
#include "frontend/capture/planned/loop_line.h"
#include "runtime/graph/trace.h"
#include "runtime/program/schedule/executable.h"

namespace catena::capture {

/// The programs of a region whose recordings differ in how often loops were run. Not synchronised.
class KnownLoops {
public:
    /// Null if it cannot be compiled, or not to a schedule.
    using Compile = std::function<std::shared_ptr<const program::Schedule>(const Trace& trace)>;

    /// The schedule of a recording whose length lies on a line of known ones; nothing if it has to
    /// be compiled. A longer one may be, so that it lies between.
    std::optional<LoopLine::Derived> schedule_for(const Trace& trace, bool fast_math,
                                                  const Compile& compile);
    /// A program was compiled. The executable owns the schedule; neither it nor the trace lives
    /// longer because of this.
    void remember(const std::shared_ptr<const Trace>& trace,
                  const std::shared_ptr<Executable>& executable,
                  const std::shared_ptr<const program::Schedule>& schedule, bool fast_math);

private:
    struct Single {
        std::weak_ptr<const Trace> trace;
        std::weak_ptr<Executable> executable;
        const program::Schedule* schedule = nullptr;  ///< The executable's.
        bool fast_math = false;
    };
    struct Line {
        std::unique_ptr<LoopLine> loops;
        bool fast_math = false;
        Trace longer;  ///< The recording of the longer of its first two programs, without arrays
                       ///< and states.
        Relations relations;  ///< Of that program.
        bool reaches_beyond = true;
    };
    static void reach_beyond(Line& line, int64_t position, const Compile& compile);
    void begin_line(const Trace& trace, const program::Schedule& schedule, bool fast_math);

    std::deque<Single> singles_;  ///< On no line yet, the latest first,
    std::deque<Line> lines_;      ///< as these.
};

}  // namespace catena::capture
