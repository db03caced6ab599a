#include "codegen/minimal_cut.h"

#include <algorithm>

namespace catena::codegen {
namespace {

constexpr int is_source = -2, unreached = -1;

}  // namespace

int FlowGraph::add_node() {
    from_.emplace_back();
    return int(from_.size()) - 1;
}

void FlowGraph::add_edge(int from, int to, int64_t capacity) {
    from_[size_t(from)].push_back(int(edges_.size()));
    edges_.push_back({to, capacity});
    from_[size_t(to)].push_back(int(edges_.size()));
    edges_.push_back({from, 0});
}

std::vector<int> FlowGraph::reach(int source) const {
    std::vector<int> by(from_.size(), unreached), waiting{source};
    by[size_t(source)] = is_source;
    for (size_t next = 0; next < waiting.size(); ++next)
        for (int e : from_[size_t(waiting[next])]) {
            const Edge& edge = edges_[size_t(e)];
            if (edge.capacity == 0 || by[size_t(edge.to)] != unreached) continue;
            by[size_t(edge.to)] = e;
            waiting.push_back(edge.to);
        }
    return by;
}

std::vector<bool> FlowGraph::source_side(int source, int sink) {
    std::vector<int> by = reach(source);
    for (; by[size_t(sink)] != unreached; by = reach(source)) {
        int64_t flow = unlimited;
        for (int node = sink; node != source; node = edges_[size_t(by[size_t(node)] ^ 1)].to)
            flow = std::min(flow, edges_[size_t(by[size_t(node)])].capacity);
        for (int node = sink; node != source; node = edges_[size_t(by[size_t(node)] ^ 1)].to) {
            edges_[size_t(by[size_t(node)])].capacity -= flow;
            edges_[size_t(by[size_t(node)] ^ 1)].capacity += flow;
        }
    }
    std::vector<bool> side;
    for (int e : by) side.push_back(e != unreached);
    return side;
}

}  // namespace catena::codegen
