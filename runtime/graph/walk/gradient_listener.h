#pragma once

#include "runtime/core/memory/ref.h"
#include "runtime/graph/variable/variable_body.h"

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

}  // namespace catena
