#pragma once

#include <span>
#include <string>

#include "runtime/graph/op/op.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

class Optimizer;
class Serializer;

/// An array of which each rank has a part.
struct PartToGather {
    const std::string* path;  ///< The parameter that it belongs to, for errors and checks.
    Variable part;            ///< This rank's elements, 1-d.
    Type whole;
};

/// Combines the gradients of several processes before they are used; see
/// frontend/parallel/optimizer/multi_node_optimizer.h.
class GradientExchange {
public:
    virtual ~GradientExchange() = default;
    /// Runs loss.backward(options); may begin to send gradients while it runs.
    virtual void backward(Optimizer& optimizer, const Variable& loss,
                          const BackwardOptions& options) = 0;
    /// Runs loss.backward(options) for one of several losses whose gradients are added up before
    /// update(): sends no gradients while it runs.
    virtual void backward_part(const Variable& loss, const BackwardOptions& options) {
        loss.backward(options);
    }
    /// What became of the gradients of the last backward. Only after `replaced` may the update
    /// change the parameters.
    enum class Outcome {
        replaced,  ///< The slots have the gradients to update with.
        kept,      ///< The next update will use the gradients.
        dropped,   ///< No update will use the gradients.
    };
    /// Completes the exchange; called first by update().
    virtual Outcome finish(Optimizer& optimizer) = 0;
    /// Whether an update uses the gradients of the backward before the last.
    virtual bool is_behind() const { return false; }
    /// Whether each rank updates a part of every parameter (parts.h).
    virtual bool is_sharded() const { return false; }
    /// The whole arrays, on every rank; all ranks call it, with the same arrays.
    virtual Variables gather(std::span<const PartToGather> parts);
    /// Whether it holds data of which each rank has a part.
    virtual bool has_parts() const { return false; }
    /// Gathers these data; all ranks call it.
    virtual void gather_parts() {}
    /// Whether a bool is true on all ranks, which all call it: where gradients are parts.
    virtual Variable everywhere(const Variable& truth) { return truth; }
    /// Forgets everything that concerns the present parameters; called by setup().
    virtual void restart() {}
    /// Saves or loads the data that lasts from one update to the next; a part of the optimizer's
    /// file.
    virtual void serialize(const Serializer&) {}
};

}  // namespace catena
