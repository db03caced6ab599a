#pragma once

#include <functional>
#include <string>

#include "runtime/core/error.h"

namespace catena {

/// Thrown by what cannot be recorded on shapes only before something happened for real: parameters that the ranks have
/// not compared yet. The region does it and records again; with nothing to do, its first call runs the user's code.
struct MustHappenFirst : TraceError {
    MustHappenFirst(const std::string& reason, std::function<void()> action = {})
        : TraceError(reason), action(std::move(action)) {}
    std::function<void()> action;
};

}  // namespace catena
