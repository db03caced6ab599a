#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "frontend/capture/launch_relations.h"
#include "frontend/capture/loop_line.h"
#include "runtime/graph/trace.h"
#include "runtime/program/executable.h"

namespace catena::capture {

/// The programs of a region whose recordings differ in how often loops were run. Not synchronised.
class KnownLoops {
public:
    /// The schedule of a recording whose length lies on a line of known ones; nothing if it has to be compiled.
    std::optional<LoopLine::Derived> schedule_for(const Trace& trace, bool fast_math);
    /// A program was compiled. The executable owns the schedule; neither it nor the trace lives longer because of this.
    void remember(const std::shared_ptr<const Trace>& trace, const std::shared_ptr<Executable>& executable,
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
        Relations relations;  ///< Of the longer of its first two programs.
    };
    void begin_line(const Trace& trace, const program::Schedule& schedule, bool fast_math);

    std::deque<Single> singles_;  ///< On no line yet, the latest first,
    std::deque<Line> lines_;      ///< as these.
};

}  // namespace catena::capture
