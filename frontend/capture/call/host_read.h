#pragma once

#include <string>

#include "runtime/core/system/error.h"

namespace catena::capture {

/// The place in the user's code where the host reads a computed value.
struct HostRead {
    SourceLoc at;
    const char* function = nullptr;  ///< The user's function that reads the value, if it is in one.

    /// "model.cpp:7, in cube", "in gradient of cube"; empty when nothing is known.
    std::string place() const {
        const std::string line = to_string(at);
        if (!function) return line;
        return (line.empty() ? "in " : line + ", in ") + function;
    }
};

}  // namespace catena::capture
