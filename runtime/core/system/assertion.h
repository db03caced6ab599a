#pragma once

#include "runtime/core/system/error.h"

namespace catena {

/// What a false CATENA_ASSERT throws.
struct AssertionFailed : InternalError {
    AssertionFailed(const std::string& message, const std::string& note)
        : InternalError(message), note(note) {}
    std::string note;  ///< What should hold: "the axis is one of x".
};

}  // namespace catena
