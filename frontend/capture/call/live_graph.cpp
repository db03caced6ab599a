#include "frontend/capture/call/live_graph.h"

#include <algorithm>

#include "frontend/capture/call/made_nodes.h"
#include "frontend/capture/call/values.h"

namespace catena::capture {

bool same_edge(const Edge& a, const Edge& b) {
    return a.leaf == b.leaf && a.node == b.node && (a.leaf || a.index == b.index);
}

void GraphWalk::run(const MadeNodes& nodes, const Values& values, LiveGraph& graph) {
    outside_.clear();
    seen_.assign(nodes.size(), 0);
    graph.key.results(graph.results.size());
    for (const Variable& result : graph.results) {
        const VariableBody& body = *result.body();
        const ArrayBody* array = body.array.body();
        graph.key.result(body.creator->number, body.output_index,
                         values.is_pending(*array) ? array->value : -1);
    }
    for (const Variable& result : graph.results) visit(nodes, *result.body()->creator, graph);
}

int GraphWalk::number_of(const VariableBody& leaf) {
    const int* number = outside_.find(&leaf);
    return number ? *number : -1;
}

void GraphWalk::visit(const MadeNodes& nodes, const Node& root, LiveGraph& graph) {
    auto enter = [&](const Node& node) {
        if (std::exchange(seen_[size_t(node.number)], 1)) return;
        waiting_.push_back(&node);
    };
    enter(root);
    while (!waiting_.empty()) {
        const Node& node = *waiting_.back();
        waiting_.pop_back();
        graph.nodes.push_back(&node);
        graph.key.node(node.number, nodes.place_of(node), int(node.op->id), node.edges.size());
        for (size_t i = 0; i < node.edges.size(); ++i) {
            const Edge& edge = node.edges[i];
            if (!edge.wanted()) {
                graph.key.no_edge();
            } else if (edge.node && nodes.made(*edge.node)) {
                graph.key.edge(edge.node->number, edge.index);
                enter(*edge.node);
            } else {
                add_border_edge(edge, node.input_types[i], graph);
            }
        }
    }
}

/// Adds an edge that leads to a leaf, or to one result of a node from before the call.
void GraphWalk::add_border_edge(const Edge& edge, const Type& type, LiveGraph& graph) {
    const char* key = edge.leaf
                          ? reinterpret_cast<const char*>(edge.leaf.get())
                          : reinterpret_cast<const char*>(edge.node.get()) + 16 * (1 + edge.index);
    const int known = int(graph.border.size());
    int number = outside_.insert(key, known);
    if (number != known &&
        !same_edge(graph.border[size_t(number)], edge))  // Two edges with the same key.
        number = int(std::find_if(graph.border.begin(), graph.border.end(),
                                  [&](const Edge& other) { return same_edge(other, edge); }) -
                     graph.border.begin());
    if (number == known) {
        graph.border.push_back(edge);
        graph.border_types.push_back(type);
    }
    graph.key.border_edge(number);
}

}  // namespace catena::capture
