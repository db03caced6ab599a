#pragma once

#include <span>

#include "runtime/graph/gradient.h"

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

/// Runs the gradients of everything below `outputs`, each started with its grad_output, and accumulates into
/// the leaves. No recursion: graphs of any depth.
void run_backward(std::span<const Variable> outputs, std::span<const Variable> grad_outputs,
                  const BackwardOptions& options);

}  // namespace catena
