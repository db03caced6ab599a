#pragma once

#include <span>

#include "runtime/graph/node.h"
#include "runtime/graph/variable.h"

namespace catena {

/// A walk over the graph as backward() or grad() asks for it.
struct WalkRequest {
    std::span<const Variable> outputs;
    std::span<const Variable> starts;  ///< The gradients of `outputs` that it begins with.
    std::span<const Edge> targets;     ///< Of grad(): the edges whose gradients are wanted.
    bool targets_are_border = false;   ///< Nothing below them is walked.
    bool into_leaves = false;  ///< Of backward(): gradients are added to those of the leaves.
};

/// A recorder that remembers walks. Gradients of built-in operations are functions of the graph and
/// the settings, so a walk over an equal graph would apply the same operations to the same values.
class WalkMemory {
public:
    /// True when it has done what the walk would do; `results` are then the gradients of the
    /// targets. Otherwise the walk runs and reports itself by the functions below, unless it ends
    /// with an error.
    virtual bool repeat(const WalkRequest& request, Variables& results) = 0;
    virtual void visits(const Node& node) = 0;
    virtual void stored(const VariableBody& leaf) = 0;  ///< Its gradient has changed.
    virtual void ended(std::span<const Variable> results) = 0;

protected:
    ~WalkMemory() = default;
};

}  // namespace catena
