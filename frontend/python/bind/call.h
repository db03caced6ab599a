#pragma once

#include "frontend/python/bind/types.h"

namespace catena::python {

/// Around everything that Python calls: errors and recordings show the line of Python that runs.
class CallScope {
public:
    CallScope() {}
};

/// Elements from which on a computation is long enough to let other threads of Python run.
inline constexpr int64_t long_work = 1 << 16;

}  // namespace catena::python
