#pragma once

#include <string>
#include <vector>

#include "frontend/capture/recorded_call.h"
#include "runtime/graph/trace.h"

namespace catena::capture {

/// A Trace in a fraction of its memory, for regions that keep one for each of hundreds of sizes:
/// equal types are held once, and so is what steps of one line have in common (a loop's turns); all
/// lists of steps lie in one. Immutable.
class PackedTrace {
public:
    PackedTrace() = default;
    explicit PackedTrace(const Trace& trace);
    Trace unpacked() const;
    size_t bytes() const;  ///< Approximately, without what arrays and states hold.

private:
    /// A value that no step computes.
    struct Given {
        int value;
        Trace::Value as;
    };
    std::string name_;
    std::vector<Type> types_;
    std::vector<RecordedCall> calls_;
    std::vector<int> type_of_value_;
    std::vector<Given> given_;
    /// Step by step: its call, how many inputs, outputs and scalars it has, and these.
    std::vector<int> steps_;
    std::vector<Trace::ScalarSlot> scalars_;
    std::vector<int> inputs_, outputs_;
    std::vector<Trace::Assign> assigns_;
};

}  // namespace catena::capture
