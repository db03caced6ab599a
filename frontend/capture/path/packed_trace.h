#pragma once

#include <string>
#include <vector>

#include "frontend/capture/path/recorded_call.h"
#include "runtime/graph/trace/trace.h"

namespace catena::capture {

/// A Trace in a fraction of its memory, for regions that store one for each of hundreds of sizes.
/// Equal types are stored once, and so is what the iterations of a loop have in common; the lists
/// of all steps lie in one array. Immutable.
class PackedTrace {
public:
    PackedTrace() = default;
    explicit PackedTrace(const Trace& trace);
    Trace unpacked() const;
    /// Approximate memory in bytes, without the arrays and states that it refers to.
    size_t bytes() const;

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
    /// The steps one after another: index of the call, the numbers of inputs, outputs and scalars,
    /// and these lists.
    std::vector<int> steps_;
    std::vector<Trace::ScalarSlot> scalars_;
    std::vector<int> inputs_, outputs_;
    std::vector<Trace::Assign> assigns_;
};

}  // namespace catena::capture
