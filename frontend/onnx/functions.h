#pragma once

#include <string>

namespace onnx {
class ModelProto;
}

namespace catena::onnx {

/// Replaces every node that calls one of the model's own functions by the function's nodes.
/// FileError when a function is recursive or the result exceeds the limit.
void inline_functions(::onnx::ModelProto& model, const std::string& path);

}  // namespace catena::onnx
