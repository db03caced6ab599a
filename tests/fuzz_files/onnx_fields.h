#pragma once

#include "tests/support/mutator.h"

namespace onnx {
class ModelProto;
}

namespace catena::fuzz {

/// Changes some fields of a model as a file could have them: values and lengths of attributes,
/// their types and names, sizes and elements of tensors, sizes and types of inputs, inputs and
/// outputs of nodes, operators and the opset. It stays a message of protobuf.
void change_fields(::onnx::ModelProto& model, testing::Random& random);

}  // namespace catena::fuzz
