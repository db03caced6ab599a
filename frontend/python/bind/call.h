#pragma once

#include "frontend/python/bind/location.h"
#include "frontend/python/bind/types.h"
#include "runtime/core/system/error.h"

namespace catena::python {

/// Around everything that Python calls: errors and recordings show the line of Python that runs,
/// which is asked for only then.
class CallScope {
public:
    CallScope() : scope_(python_location) {}

private:
    LocationScope scope_;
};

/// Elements from which on a computation is long enough to let other threads of Python run.
inline constexpr int64_t long_work = 1 << 16;

}  // namespace catena::python
