#pragma once

#include <string>

namespace onnx {
class GraphProto;
}

namespace catena::onnx {

/// Brings the nodes of a graph, and of the graphs in it, into an order in which each stands behind those that give what it
/// reads; nodes that are in order already stay where they are. FileError naming the nodes of a cycle; `path` is for it.
void sort_nodes(::onnx::GraphProto& graph, const std::string& path);

}  // namespace catena::onnx
