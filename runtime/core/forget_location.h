#pragma once

#include "runtime/core/error.h"

namespace catena {

/// While alive, lines set by outer scopes are ignored: the code that runs now sets its own.
class ForgetLocation {
public:
    ForgetLocation();
    ~ForgetLocation();
    ForgetLocation(const ForgetLocation&) = delete;

private:
    const LocationScope* previous_;
    bool was_forgotten_;
};

}  // namespace catena
