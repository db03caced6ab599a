#pragma once

#include <vector>

#include "frontend/capture/call/graph_key.h"
#include "frontend/capture/path/pointer_table.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/variable/variable.h"

namespace catena::capture {

class MadeNodes;
class Values;

/// Whether gradients flow along both edges to the same place.
bool same_edge(const Edge& a, const Edge& b);

/// The part of the graph built by a region's code that is still referenced when the code has
/// returned.
struct LiveGraph {
    /// The variables still referenced whose creator is in the graph.
    std::vector<Variable> results;
    std::vector<Edge> border;        ///< The edges at which gradients leave the region, each once.
    std::vector<Type> border_types;  ///< The types of the values at `border`.
    GraphKey key;
    std::vector<const Node*> nodes;  ///< The nodes, in the order in which GraphWalk found them.

    /// Empties the lists but keeps their memory for the next call.
    void clear() {
        results.clear();
        border.clear();
        border_types.clear();
        key.clear();
        nodes.clear();
    }
};

/// Clears a graph when the scope ends: its variables and edges are counted as references.
struct ClearedGraph {
    LiveGraph& graph;
    ~ClearedGraph() { graph.clear(); }
};

/// Finds the LiveGraph by walking from the results towards the inputs.
class GraphWalk {
public:
    /// Fills `graph`, which must hold nothing but its results; their creators are among `nodes`.
    void run(const MadeNodes& nodes, const Values& values, LiveGraph& graph);
    /// The index of the edge that leads to `leaf` in the border of the graph found last; -1: none.
    int number_of(const VariableBody& leaf);

private:
    void visit(const MadeNodes& nodes, const Node& root, LiveGraph& graph);
    void add_border_edge(const Edge& edge, const Type& type, LiveGraph& graph);

    PointerTable outside_;
    std::vector<char> seen_;
    std::vector<const Node*> waiting_;
};

}  // namespace catena::capture
