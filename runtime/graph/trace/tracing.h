#pragma once

#include "runtime/graph/call/recorder.h"

namespace catena {

/// Computes each operation at once, as eager code does, and is told of it afterwards. Composites
/// appear as the operations of their bodies.
class Tracing : public Recorder {
public:
    Variables perform(const OpCall& call) override;
    /// Called after an operation, before it becomes a part of the graph.
    virtual void saw([[maybe_unused]] const OpCall& call,
                     [[maybe_unused]] std::span<const Variable> outputs) {}
    /// True for a composite that is to appear as one operation.
    virtual bool takes_whole(const OpDef&) const { return false; }

private:
    Variables compute(const OpCall& call);
};

}  // namespace catena
