#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// Carries out the operations of a thread. apply() has checked the call and taken its inputs in the
/// dtypes of autocast, and runs the hooks around it; all else is the executor's.
class Executor {
public:
    virtual ~Executor() = default;
    /// The results of `call`, connected with the graph.
    virtual Variables perform(const OpCall& call) = 0;
    /// Whether only types are computed: results then live on the meta device.
    virtual bool shape_only() const { return false; }
    /// Whether results are computed later.
    virtual bool defers() const { return false; }
};

}  // namespace catena
