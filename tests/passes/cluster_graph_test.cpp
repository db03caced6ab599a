#include "passes/analysis/cluster_graph.h"

#include <random>

#include <gtest/gtest.h>

namespace catena::passes {
namespace {

/// The same rules the slow way: merges are tried on a copy and the copy is searched for a cycle.
struct SlowGraph {
    std::vector<std::vector<int>> predecessors;
    std::vector<int> cluster;

    int add(const std::vector<int>& p) {
        predecessors.push_back(p);
        cluster.push_back(int(cluster.size()));
        return cluster.back();
    }
    bool try_merge(int a, int b) {
        std::vector<int> before = cluster;
        int from = cluster[b], to = cluster[a];
        for (int& c : cluster)
            if (c == from) c = to;
        if (acyclic()) return true;
        cluster = before;
        return false;
    }
    bool acyclic() const {
        int n = int(cluster.size());
        std::vector<std::vector<int>> successors(n);
        std::vector<int> waiting(n);
        for (int node = 0; node < n; ++node)
            for (int p : predecessors[node])
                if (cluster[p] != cluster[node]) {
                    successors[cluster[p]].push_back(cluster[node]);
                    ++waiting[cluster[node]];
                }
        std::vector<int> ready;
        for (int c = 0; c < n; ++c)
            if (waiting[c] == 0) ready.push_back(c);
        size_t done = 0;
        while (done < ready.size())
            for (int next : successors[ready[done++]])
                if (--waiting[next] == 0) ready.push_back(next);
        return done == size_t(n);
    }
};

TEST(cluster_graph, merges_exactly_what_stays_acyclic) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        auto below = [&](int n) { return int(random() % n); };
        ClusterGraph graph;
        SlowGraph slow;
        int n = 2 + below(40);
        for (int node = 0; node < n; ++node) {
            std::vector<int> predecessors;
            for (int k = node ? below(4) : 0; k > 0; --k) predecessors.push_back(below(node));
            graph.add(predecessors);
            slow.add(predecessors);
        }
        for (int k = 0; k < 2 * n; ++k) {
            int a = below(n), b = below(n);
            ASSERT_EQ(graph.try_merge(a, b), slow.try_merge(a, b))
                << "seed " << seed << " merge " << k;
        }
        std::vector<int> position(n);
        int at = 0;
        for (const std::vector<int>& cluster : graph.clusters()) {
            for (int node : cluster) {
                position[node] = at;
                EXPECT_EQ(slow.cluster[node], slow.cluster[cluster[0]]);
            }
            ++at;
        }
        for (int node = 0; node < n; ++node)
            for (int p : slow.predecessors[node])
                EXPECT_LE(position[p], position[node]) << "seed " << seed;
    }
}

TEST(cluster_graph, refuses_to_close_over_a_node_between) {
    ClusterGraph graph;
    graph.add({});
    graph.add(std::vector{0});
    graph.add(std::vector{0, 1});
    EXPECT_FALSE(graph.try_merge(0, 2));
    EXPECT_TRUE(graph.try_merge(0, 1));
    EXPECT_TRUE(graph.try_merge(0, 2));
}

}  // namespace
}  // namespace catena::passes
