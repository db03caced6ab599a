#pragma once

#include <set>
#include <string>

namespace onnx {
class GraphProto;
}

namespace catena::onnx {

/// The float initializers that are learned where a model is trained further, by what they are for
/// the operators that read them (Role in importer.h). The graph's nodes are in order, its functions
/// inlined.
std::set<std::string> learned_initializers(const ::onnx::GraphProto& graph);

}  // namespace catena::onnx
