#pragma once

#include <set>
#include <string>

namespace onnx {
class GraphProto;
}

namespace catena::onnx {

/// Names of the float initializers that are learned when a model is trained further. They are found
/// by the role that they play for the operators that read them (Role in importer.h). The graph's
/// nodes must be in order, its functions inlined.
std::set<std::string> learned_initializers(const ::onnx::GraphProto& graph);

}  // namespace catena::onnx
