#pragma once

#include <span>

#include "runtime/graph/gradient.h"
#include "runtime/graph/node.h"

namespace catena {

/// Hears when backward() on this thread has completed the gradient of a leaf: nothing more flows there.
class GradientListener {
public:
    virtual ~GradientListener() = default;
    virtual void complete(const Ref<VariableBody>& leaf) = 0;
};

/// The listener hears until the scope ends. One at a time.
class GradientListenerScope {
public:
    explicit GradientListenerScope(GradientListener& listener);
    ~GradientListenerScope();
    GradientListenerScope(const GradientListenerScope&) = delete;

private:
    GradientListener* previous_;
};

/// Gradients of `outputs`, started with `grad_outputs`, towards `border`, beyond which nothing is looked at: the part of
/// each that does not come through another. Undefined where nothing flows.
Variables gradients_at_border(std::span<const Variable> outputs, std::span<const Edge> border,
                              std::span<const Variable> grad_outputs);

/// Runs the gradients of everything below `outputs`, each started with its grad_output, and accumulates into
/// the leaves. No recursion: graphs of any depth.
void run_backward(std::span<const Variable> outputs, std::span<const Variable> grad_outputs,
                  const BackwardOptions& options);

}  // namespace catena
