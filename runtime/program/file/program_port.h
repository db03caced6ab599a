#pragma once

#include <string>
#include <vector>

#include "runtime/core/dtype/dtype.h"

namespace catena {

/// An input or output of a program. Open sizes have names: {"batch", "784"}.
struct ProgramPort {
    std::string name;
    Dtype dtype{};
    std::vector<std::string> sizes;
};

}  // namespace catena
