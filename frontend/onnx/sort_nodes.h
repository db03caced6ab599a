#pragma once

#include <string>

namespace onnx {
class GraphProto;
}

namespace catena::onnx {

/// Sorts the nodes of a graph and its subgraphs topologically; nodes that are in order already keep
/// their position. FileError, naming `path` and the nodes of a cycle.
void sort_nodes(::onnx::GraphProto& graph, const std::string& path);

}  // namespace catena::onnx
