#include "passes/analysis/cluster_graph.h"

#include <algorithm>
#include <cmath>

namespace catena::passes {

namespace {

/// Initial gap between labels, enough for the moves of any program.
constexpr int64_t wide = int64_t(1) << 40;

}  // namespace

int ClusterGraph::add(std::span<const int> predecessors) {
    const int node = size();
    parent_.push_back(node);
    label_.push_back(last_ < 0 ? 0 : label_[last_] + wide);
    previous_.push_back(last_);
    next_.push_back(-1);
    (last_ < 0 ? first_ : next_[last_]) = node;
    last_ = node;
    listed_.push_back(0);
    seen_.push_back(0);
    predecessors_.emplace_back(predecessors.begin(), predecessors.end());
    tidy(node);
    return node;
}

int ClusterGraph::find(int node) {
    while (parent_[node] != node) {
        parent_[node] = parent_[parent_[node]];
        node = parent_[node];
    }
    return node;
}

std::vector<int>& ClusterGraph::tidy(int cluster) {
    std::vector<int>& list = predecessors_[cluster];
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

bool ClusterGraph::find_needed(int a, int b, std::vector<int>& needed) {
    const int search = ++searches_;
    std::vector<int> stack = {b};
    while (!stack.empty()) {
        const int cluster = stack.back();
        stack.pop_back();
        for (int next : tidy(cluster)) {
            // A direct edge from b is allowed; any other edge to a is a path through a third
            // cluster.
            if (next == a) {
                if (cluster != b) return false;
                continue;
            }
            if (label_[next] < label_[a] || seen_[next] == search) continue;
            seen_[next] = search;
            needed.push_back(next);
            stack.push_back(next);
        }
    }
    return true;
}

bool ClusterGraph::try_merge(int a, int b) {
    a = find(a), b = find(b);
    if (a == b) return true;
    if (label_[a] > label_[b]) std::swap(a, b);
    std::vector<int> needed;
    if (!find_needed(a, b, needed)) return false;
    move_before(std::move(needed), a);
    unite(a, b);
    return true;
}

void ClusterGraph::move_before(std::vector<int> needed, int cluster) {
    if (needed.empty()) return;
    std::sort(needed.begin(), needed.end(), [&](int x, int y) { return label_[x] < label_[y]; });
    for (int each : needed) unlink(each);
    const int64_t count = int64_t(needed.size());
    auto begin = [&] {
        return previous_[cluster] < 0 ? label_[cluster] - wide : label_[previous_[cluster]];
    };
    if (label_[cluster] - begin() <= count) spread_labels();
    // Later moves insert between these and the cluster, so labels here stay close to their
    // predecessors.
    const int64_t gap = label_[cluster] - begin();
    const int64_t step = std::min<int64_t>(int64_t(std::sqrt(double(gap))), gap / (count + 1));
    int64_t label = begin();
    for (int each : needed) {
        label_[each] = label += step;
        previous_[each] = previous_[cluster];
        next_[each] = cluster;
        (previous_[each] < 0 ? first_ : next_[previous_[each]]) = each;
        previous_[cluster] = each;
    }
}

void ClusterGraph::unlink(int cluster) {
    const int before = previous_[cluster], after = next_[cluster];
    (before < 0 ? first_ : next_[before]) = after;
    (after < 0 ? last_ : previous_[after]) = before;
}

void ClusterGraph::spread_labels() {
    int64_t label = 0;
    for (int cluster = first_; cluster >= 0; cluster = next_[cluster])
        label_[cluster] = label += wide;
}

void ClusterGraph::unite(int earlier, int later) {
    unlink(later);
    // The one with more edges becomes the representative, to copy fewer.
    int kept = earlier, absorbed = later;
    if (predecessors_[kept].size() < predecessors_[absorbed].size()) {
        std::swap(kept, absorbed);
        label_[kept] = label_[absorbed];
        previous_[kept] = previous_[absorbed];
        next_[kept] = next_[absorbed];
        (previous_[kept] < 0 ? first_ : next_[previous_[kept]]) = kept;
        (next_[kept] < 0 ? last_ : previous_[next_[kept]]) = kept;
    }
    parent_[absorbed] = kept;
    std::vector<int>& from = predecessors_[absorbed];
    predecessors_[kept].insert(predecessors_[kept].end(), from.begin(), from.end());
    from = {};
}

std::vector<std::vector<int>> ClusterGraph::clusters() {
    std::vector<int> number(parent_.size());
    std::vector<std::vector<int>> members;
    for (int cluster = first_; cluster >= 0; cluster = next_[cluster]) {
        number[cluster] = int(members.size());
        members.emplace_back();
    }
    for (int node = 0; node < size(); ++node) members[number[find(node)]].push_back(node);
    return members;
}

}  // namespace catena::passes
