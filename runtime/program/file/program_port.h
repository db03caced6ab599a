#pragma once

#include <string>
#include <vector>

#include "runtime/core/dtype/dtype.h"

namespace catena {

/// An input or output of a program. Open sizes have names: {"batch", "784"}.
struct ProgramPort {
    /// The name of the input or output.
    std::string name;
    /// The dtype of its elements.
    Dtype dtype{};
    /// The sizes of the array: numbers, or names of open sizes.
    std::vector<std::string> sizes;
};

}  // namespace catena
