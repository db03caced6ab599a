#pragma once

#include <span>

#include "runtime/graph/node/node.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

/// One walk over the graph that backward() or grad() asks for.
struct WalkRequest {
    std::span<const Variable> outputs;
    std::span<const Variable> starts;  ///< The gradients of `outputs` that the walk begins with.
    std::span<const Edge> targets;     ///< The edges whose gradients are wanted, for grad().
    bool targets_are_border = false;   ///< True if the walk does not go below the targets.
    /// True for backward(): gradients are added to those of the leaves.
    bool into_leaves = false;
};

/// Interface of a recorder that remembers walks over the graph. Gradients of built-in operations
/// depend on the graph and the settings alone, so a walk over an equal graph would apply the same
/// operations to the same values.
class WalkMemory {
public:
    /// Repeats a remembered walk and puts the gradients of the targets into `results`; true on
    /// success. Otherwise the walk must run and report itself by the functions below, unless it
    /// ends with an error.
    virtual bool repeat(const WalkRequest& request, Variables& results) = 0;
    virtual void visits(const Node& node) = 0;
    /// Reports that the gradient of `leaf` has changed.
    virtual void stored(const VariableBody& leaf) = 0;
    virtual void ended(std::span<const Variable> results) = 0;

protected:
    ~WalkMemory() = default;
};

}  // namespace catena
