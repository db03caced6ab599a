#pragma once

#include <string>

namespace catena {

/// The size of one axis of one input that callers of an exported program choose. Axes with equal
/// names have equal sizes.
struct OpenSize {
    /// The index of the input.
    int input = 0;
    /// The axis of that input.
    int axis = 0;
    /// The name of the size: "batch".
    std::string name;
};

}  // namespace catena
