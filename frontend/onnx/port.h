#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/core/dtype/dtype.h"

namespace catena::onnx {

/// An input or output of a model. Sizes are numbers, names ("batch"), or "" if unspecified.
struct Port {
    std::string name = {};
    std::optional<Dtype> dtype = {};
    std::optional<std::vector<std::string>> shape;
    bool is_sequence = false;  ///< True for a sequence of arrays of this type.
    bool is_optional = false;  ///< True if the value may be absent.
};

}  // namespace catena::onnx
