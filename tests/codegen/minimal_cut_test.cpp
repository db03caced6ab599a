#include "codegen/minimal_cut.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace catena::codegen {
namespace {

struct Edge {
    int from, to;
    int64_t capacity;
};

/// What a division costs: the edges that lead from the side of the source to the other.
int64_t cost(const std::vector<Edge>& edges, const std::vector<bool>& side) {
    int64_t sum = 0;
    for (const Edge& e : edges)
        if (side[size_t(e.from)] && !side[size_t(e.to)]) sum += e.capacity;
    return sum;
}

TEST(MinimalCut, costs_as_little_as_the_best_of_all_divisions) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        const int nodes = 8;
        std::vector<Edge> edges;
        FlowGraph graph;
        for (int n = 0; n < nodes; ++n) graph.add_node();
        for (int e = 0; e < 20; ++e) {
            const Edge edge{int(random() % nodes), int(random() % nodes), int64_t(random() % 50)};
            if (edge.from == edge.to) continue;
            edges.push_back(edge);
            graph.add_edge(edge.from, edge.to, edge.capacity);
        }
        const std::vector<bool> side = graph.source_side(0, 1);
        ASSERT_TRUE(side[0] && !side[1]) << seed;
        int64_t best = FlowGraph::unlimited;
        size_t fewest = 0;
        for (unsigned mask = 0; mask < 1u << nodes; ++mask) {
            if (!(mask & 1) || (mask & 2)) continue;
            std::vector<bool> other;
            for (int n = 0; n < nodes; ++n) other.push_back(mask >> n & 1);
            const int64_t price = cost(edges, other);
            const size_t count = size_t(std::count(other.begin(), other.end(), true));
            if (price < best || (price == best && count < fewest)) best = price, fewest = count;
        }
        EXPECT_EQ(cost(edges, side), best) << seed;
        EXPECT_EQ(size_t(std::count(side.begin(), side.end(), true)), fewest) << seed;
    }
}

}  // namespace
}  // namespace catena::codegen
