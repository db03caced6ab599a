#pragma once

#include <cstdint>
#include <vector>

namespace catena::codegen {

/// A directed graph with capacities, for minimal cuts by augmenting paths (Edmonds and Karp, 1972).
class FlowGraph {
public:
    static constexpr int64_t unlimited = int64_t(1) << 60;

    int add_node();
    void add_edge(int from, int to, int64_t capacity);
    /// For each node, whether it is on the side of `source` in the minimal cut with the fewest
    /// nodes there.
    std::vector<bool> source_side(int source, int sink);

private:
    struct Edge {
        int to;
        int64_t capacity;
    };
    /// For each node, the edge by which it is first reached from `source` through remaining
    /// capacity; -1: it is not reached.
    std::vector<int> reach(int source) const;

    std::vector<Edge> edges_;  ///< The edges; the reverse of edge e is e ^ 1.
    std::vector<std::vector<int>> from_;
};

}  // namespace catena::codegen
