#include "frontend/capture/graph/reach.h"

#include <set>

#include "frontend/capture/call/live_graph.h"
#include "frontend/capture/call/made_nodes.h"

namespace catena::capture {

Reach::Reach(const LiveGraph& live, const MadeNodes& nodes)
    : below_(live.results.size(), std::vector<bool>(live.results.size())),
      creators_(below_),
      above_(live.border.size(), std::vector<bool>(live.results.size())) {
    for (size_t from = 0; from < live.results.size(); ++from) {
        std::vector<const Node*> waiting{live.results[from].body()->creator.get()};
        std::set<const Node*> seen(waiting.begin(), waiting.end());
        while (!waiting.empty()) {
            const Node* node = waiting.back();
            waiting.pop_back();
            for (const Edge& edge : node->edges) {
                for (size_t t = 0; t < live.border.size() && edge.wanted(); ++t)
                    if (same_edge(edge, live.border[t])) above_[t][from] = true;
                if (!edge.node || !nodes.made(*edge.node)) continue;
                for (size_t j = 0; j < live.results.size(); ++j)
                    if (live.results[j].body()->creator == edge.node &&
                        live.results[j].body()->output_index == edge.index)
                        below_[from][j] = true;
                if (seen.insert(edge.node.get()).second) waiting.push_back(edge.node.get());
            }
        }
        for (size_t j = 0; j < live.results.size(); ++j)
            creators_[from][j] = seen.contains(live.results[j].body()->creator.get());
    }
}

}  // namespace catena::capture
