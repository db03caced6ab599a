#include "runtime/core/array/access.h"

namespace catena {
namespace {
thread_local AccessObserver* current [[gnu::tls_model("initial-exec")]] = nullptr;
}

AccessObserver* access_observer() { return current; }
void set_access_observer(AccessObserver* observer) { current = observer; }

}  // namespace catena
