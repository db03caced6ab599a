#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "runtime/ops/onnx/onnx.h"

namespace catena {

/// The values of the names in an expression of OnnxMapping.
struct OnnxNames {
    Dtype dtype;  ///< The dtype of numbers in the expression.
    /// The value of a, b, ... in `dtype`, or as given.
    std::function<int(int index, std::optional<Dtype> as)> argument;
    std::function<std::optional<double>(std::string_view)> scalar;
};

/// Adds the nodes of an expression. InternalError for invalid syntax.
int write_onnx_expression(std::string_view expression, const OnnxNames& names, OnnxGraph& graph);

}  // namespace catena
