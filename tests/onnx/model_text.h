#pragma once

#include <string>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace catena::testing {

/// A small model from a line of text, for tests:
///
///     @13 x:f[2,3] w=f[3,2] k=i[1]{2} ; MatMul(x,w)->y ; TopK(y,k){axis=-1}->v,n => v,n
///
/// Values come first: NAME:TYPE is an input of the graph, NAME=TYPE{numbers} an initializer
/// (without numbers some of either sign, or 0 and 1). Types are f d h (floats of 32, 64 and 16
/// bits), i j s (integers of 64, 32 and 8 bits), u (uint8) and b (bool), with sizes. Nodes follow,
/// an empty name being no input, `com.microsoft.Gelu` an operator of a domain. Attributes are
/// integers, floats (with a point), 'texts', lists of them, arrays (TYPE{numbers}) and graphs (the
/// same in <>). After
/// => stand the outputs, those of the last node without it. @ begins the opset, 20 without it.
::onnx::ModelProto model_from_text(const std::string& text);

/// The lines of tests/onnx/data/small_models.txt.
std::vector<std::string> small_models();

}  // namespace catena::testing
