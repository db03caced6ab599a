#pragma once

#include <string>

namespace catena {

/// The size of one axis of one input that callers of an exported program may choose. Axes of one name have one size.
struct OpenSize {
    int input = 0;
    int axis = 0;
    std::string name;
};

}  // namespace catena
