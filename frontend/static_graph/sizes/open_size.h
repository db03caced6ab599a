#pragma once

#include <string>

namespace catena {

/// The size of one axis of one input that callers of an exported program choose. Axes with equal
/// names have equal sizes.
struct OpenSize {
    int input = 0;
    int axis = 0;
    std::string name;
};

}  // namespace catena
