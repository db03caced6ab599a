#pragma once

#include <cstdint>

#include "runtime/core/system/error.h"

namespace catena {

/// While alive, lines set by outer scopes are ignored: the code that runs now sets its own.
class ForgetLocation {
public:
    ForgetLocation();
    ~ForgetLocation();
    ForgetLocation(const ForgetLocation&) = delete;

private:
    const uintptr_t previous_;
};

}  // namespace catena
