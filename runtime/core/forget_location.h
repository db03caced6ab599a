#pragma once

#include "runtime/core/error.h"

namespace catena {

/// While alive, the lines that outer scopes named do not count: what runs now was written elsewhere and names its own.
class ForgetLocation {
public:
    ForgetLocation();
    ~ForgetLocation();
    ForgetLocation(const ForgetLocation&) = delete;

private:
    SourceLoc previous_;
};

}  // namespace catena
