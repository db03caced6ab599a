#pragma once

#include "frontend/python/bind/convert/location.h"
#include "frontend/python/bind/convert/types.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"

namespace catena::python {

/// A scope around everything that Python calls: errors and recordings show the line of Python that
/// runs, which is asked for only then.
class CallScope {
public:
    CallScope() : scope_(python_location) {}

private:
    LocationScope scope_;
};

/// Elements from which on a computation is long enough to let other threads of Python run.
inline constexpr int64_t long_work = 1 << 16;

/// Whether operations are computed when they are called. Those that a region follows are computed
/// later, by a program that lets other threads run by itself.
inline bool computes_now() {
    const Recorder* const recorder = current_recorder();
    return !recorder || !recorder->defers();
}

}  // namespace catena::python
