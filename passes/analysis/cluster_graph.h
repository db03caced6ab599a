#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace catena::passes {

/// The dependences of a program while its operations are gathered into clusters. A cluster runs as
/// one, so the graph of clusters must stay acyclic; merges that would close a cycle are refused.
///
/// Keeps a topological order of the clusters as a list with labels (Dietz and Sleator, "Two
/// algorithms for maintaining order in a list", 1987). A merge moves the clusters that the later
/// one depends on to just before the earlier one; independent clusters in between are neither
/// visited nor moved, so clustering is linear.
class ClusterGraph {
public:
    /// Appends a node that depends on earlier ones and returns its number.
    int add(std::span<const int> predecessors);
    int size() const { return int(parent_.size()); }
    /// The node that represents the cluster of `node`.
    int find(int node);
    /// Merges two clusters unless one depends on the other through a third; returns whether they
    /// are one now.
    bool try_merge(int a, int b);
    /// The nodes of each cluster: clusters in topological order, nodes in order of their numbers.
    std::vector<std::vector<int>> clusters();

private:
    /// The different clusters that `cluster` depends on.
    std::vector<int>& tidy(int cluster);
    /// Adds to `needed` all clusters between `a` and `b` that `b` depends on. False when one of
    /// them depends on `a`.
    bool find_needed(int a, int b, std::vector<int>& needed);
    /// Moves `needed`, in their order, to just before `cluster`.
    void move_before(std::vector<int> needed, int cluster);
    void unlink(int cluster);
    /// Assigns new, evenly spaced labels.
    void spread_labels();
    /// Makes one cluster of two, at the position of `earlier`; either may be the representative.
    void unite(int earlier, int later);

    std::vector<int> parent_;
    // The order, for representatives: labels rise along the list.
    std::vector<int64_t> label_;
    std::vector<int> previous_, next_;
    int first_ = -1, last_ = -1;
    std::vector<std::vector<int>> predecessors_;
    // The last call of tidy that listed a cluster, and the last search that saw it.
    std::vector<int> listed_, seen_;
    int tidies_ = 0, searches_ = 0;
};

}  // namespace catena::passes
