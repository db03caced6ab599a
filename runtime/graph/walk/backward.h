#pragma once

#include <span>

#include "runtime/graph/node/node.h"
#include "runtime/graph/walk/gradient.h"

namespace catena {

/// Notified when backward() on this thread has completed the gradient of a leaf.
class GradientListener {
public:
    virtual ~GradientListener() = default;
    virtual void complete(const Ref<VariableBody>& leaf) = 0;
};

/// The listener is active until the scope ends. Only one at a time.
class GradientListenerScope {
public:
    explicit GradientListenerScope(GradientListener& listener);
    ~GradientListenerScope();
    GradientListenerScope(const GradientListenerScope&) = delete;

private:
    GradientListener* previous_;
};

/// The listener of this thread; null where no scope is active.
GradientListener* gradient_listener();

/// Gradients of `outputs`, which start with `grad_outputs`, with respect to the edges in `border`,
/// where the walk stops. A gradient excludes what flows through another border edge; it is
/// undefined where nothing flows.
Variables gradients_at_border(std::span<const Variable> outputs, std::span<const Edge> border,
                              std::span<const Variable> grad_outputs);

/// Gradients of `outputs` with respect to `inputs`, as grad(), through the graph between them only.
/// None of `inputs` may be computed from another by that graph, and nothing below them is visited.
Variables grad_inside(std::span<const Variable> outputs, std::span<const Variable> inputs,
                      std::span<const Variable> grad_outputs, bool enable_double_backprop);

/// ValueError for a variable without a graph, computed from nothing that requires a gradient:
/// backward() from it would do nothing. A leaf that requires a gradient is accepted.
void check_has_graph(const VariableBody& output, const SourceLoc& at);

/// Runs the gradients of everything below `outputs`, each started with its grad_output, and
/// accumulates into the leaves. No recursion: graphs of any depth.
void run_backward(std::span<const Variable> outputs, std::span<const Variable> grad_outputs,
                  const BackwardOptions& options);

}  // namespace catena
