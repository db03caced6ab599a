#pragma once

#include "runtime/core/system/error.h"

namespace catena {

/// The error that a false CATENA_ASSERT throws.
struct AssertionFailed : InternalError {
    AssertionFailed(const std::string& message, const std::string& note)
        : InternalError(message), note(note) {}
    std::string note;  ///< The condition that should hold, in words: "the axis is one of x".
};

}  // namespace catena
