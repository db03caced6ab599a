#include "passes/cluster_graph.h"

#include <algorithm>

namespace catena::passes {

int ClusterGraph::add(std::span<const int> predecessors) {
    int node = size();
    parent_.push_back(node);
    position_.push_back(node);
    listed_.push_back(0);
    seen_.push_back(0);
    predecessors_.emplace_back(predecessors.begin(), predecessors.end());
    successors_.emplace_back();
    for (int p : tidy(predecessors_, node)) successors_[p].push_back(node);
    return node;
}

int ClusterGraph::find(int node) {
    while (parent_[node] != node) {
        parent_[node] = parent_[parent_[node]];
        node = parent_[node];
    }
    return node;
}

std::vector<int>& ClusterGraph::tidy(std::vector<std::vector<int>>& edges, int cluster) {
    std::vector<int>& list = edges[cluster];
    listed_[cluster] = ++tidies_;
    size_t kept = 0;
    for (int neighbour : list) {
        neighbour = find(neighbour);
        if (listed_[neighbour] == tidies_) continue;
        listed_[neighbour] = tidies_;
        list[kept++] = neighbour;
    }
    list.resize(kept);
    return list;
}

bool ClusterGraph::reach(std::vector<std::vector<int>>& edges, int start, int64_t low, int64_t high,
                         int forbidden, std::vector<int>& reached) {
    int search = ++searches_;
    std::vector<int> stack = {start};
    while (!stack.empty()) {
        int cluster = stack.back();
        stack.pop_back();
        for (int next : tidy(edges, cluster)) {
            // An edge straight to it is not a way around; only the start has one that counts as such.
            if (next == forbidden) {
                if (cluster != start) return false;
                continue;
            }
            if (position_[next] <= low || position_[next] >= high) continue;
            if (seen_[next] == search) continue;
            seen_[next] = search;
            reached.push_back(next);
            stack.push_back(next);
        }
    }
    return true;
}

bool ClusterGraph::try_merge(int a, int b) {
    a = find(a), b = find(b);
    if (a == b) return true;
    if (position_[a] > position_[b]) std::swap(a, b);
    // What b needs from between the two must move before a, so it may not need a.
    std::vector<int> before, after;
    if (!reach(predecessors_, b, position_[a], position_[b], a, before)) return false;
    if (!before.empty()) {
        reach(successors_, a, position_[a], position_[b], b, after);
        reorder(std::move(before), a, std::move(after));
    }
    unite(a, b);
    return true;
}

void ClusterGraph::reorder(std::vector<int> before, int cluster, std::vector<int> after) {
    auto by_position = [&](int x, int y) { return position_[x] < position_[y]; };
    std::sort(before.begin(), before.end(), by_position);
    std::sort(after.begin(), after.end(), by_position);
    std::vector<int> sequence = std::move(before);
    sequence.push_back(cluster);
    sequence.insert(sequence.end(), after.begin(), after.end());
    std::vector<int64_t> positions;
    for (int c : sequence) positions.push_back(position_[c]);
    std::sort(positions.begin(), positions.end());
    for (size_t i = 0; i < sequence.size(); ++i) position_[sequence[i]] = positions[i];
}

void ClusterGraph::unite(int kept, int absorbed) {
    // The representative is whichever saves copying edges; the position is the earlier one's.
    int64_t position = position_[kept];
    auto edges = [&](int c) { return predecessors_[c].size() + successors_[c].size(); };
    if (edges(kept) < edges(absorbed)) std::swap(kept, absorbed);
    parent_[absorbed] = kept;
    position_[kept] = position;
    for (auto* lists : {&predecessors_, &successors_}) {
        std::vector<int>& from = (*lists)[absorbed];
        (*lists)[kept].insert((*lists)[kept].end(), from.begin(), from.end());
        from = {};
    }
}

std::vector<std::vector<int>> ClusterGraph::clusters() {
    std::vector<std::vector<int>> members(size());
    for (int node = 0; node < size(); ++node) members[find(node)].push_back(node);
    std::erase_if(members, [](const std::vector<int>& m) { return m.empty(); });
    std::sort(members.begin(), members.end(), [&](const auto& x, const auto& y) {
        return position_[find(x[0])] < position_[find(y[0])];
    });
    return members;
}

}  // namespace catena::passes
