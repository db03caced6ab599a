#include "runtime/graph/walk/gradient_listener.h"

#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {
constinit PerThread<GradientListener*> listener;
}

GradientListener* gradient_listener() { return listener.get(); }
GradientListenerScope::GradientListenerScope(GradientListener& next) : previous_(listener.get()) {
    listener.get() = &next;
}
GradientListenerScope::~GradientListenerScope() { listener.get() = previous_; }

}  // namespace catena
