#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace catena::passes {

/// The dependences of a program while its operations are gathered into clusters. A cluster runs as one, so
/// the graph of clusters must stay acyclic; merges that would close a cycle are refused.
///
/// Keeps a topological order of the clusters and, on a merge, repairs it between the two only (Pearce and Kelly, "A
/// dynamic topological sort algorithm for directed acyclic graphs", 2006), so gathering a chain is linear.
class ClusterGraph {
public:
    /// Appends a node that depends on earlier ones and returns its number.
    int add(std::span<const int> predecessors);
    int size() const { return int(parent_.size()); }
    /// The node that stands for the cluster of `node`.
    int find(int node);
    /// Merges two clusters unless one depends on the other through a third; says whether they are one now.
    bool try_merge(int a, int b);
    /// Nodes by cluster: clusters in topological order, nodes in order of their numbers.
    std::vector<std::vector<int>> clusters();

private:
    /// Neighbours of `cluster` as distinct clusters other than itself.
    std::vector<int>& tidy(std::vector<std::vector<int>>& edges, int cluster);
    /// Adds to `reached` what can be reached from `start` along `edges` inside the open interval of
    /// positions. False when `forbidden` is reached.
    bool reach(std::vector<std::vector<int>>& edges, int start, int64_t low, int64_t high,
               int forbidden, std::vector<int>& reached);
    /// `before`, `cluster`, `after` take the positions they hold now, in that order.
    void reorder(std::vector<int> before, int cluster, std::vector<int> after);
    void unite(int kept, int absorbed);

    std::vector<int> parent_;
    std::vector<int64_t> position_;  ///< Valid for representatives.
    std::vector<std::vector<int>> predecessors_, successors_;
    // The last call of tidy that listed a cluster, and the last search that saw it.
    std::vector<int> listed_, seen_;
    int tidies_ = 0, searches_ = 0;
};

}  // namespace catena::passes
