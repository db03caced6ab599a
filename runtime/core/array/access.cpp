#include "runtime/core/array/access.h"

namespace catena::access {

constinit thread_local AccessObserver* observer = nullptr;

}  // namespace catena::access
