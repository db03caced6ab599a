#include "runtime/graph/walk/target_sink.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace catena {

TargetSink::TargetSink(WalkScratches& scratches, const WalkRequest& request)
    : GradientSink(scratches),
      is_border_(request.targets_are_border),
      results_(request.targets.size()) {
    const std::span<const Edge> targets = request.targets;
    for (size_t i = 0; i < targets.size(); ++i) {
        const Edge& edge = targets[i];
        if (edge.leaf) targets_.push_back({edge.leaf.get(), i, 0});
        if (edge.node) targets_.push_back({edge.node.get(), i, edge.index});
    }
    std::ranges::sort(targets_, std::less());
    for (const Variable& output : request.outputs) mark(edge_of(output).node.get());
}

TargetSink::~TargetSink() {
    for (const Ref<Node>& node : seen_) mark_of(*node) = unseen;
}

void TargetSink::leaf(const Ref<VariableBody>& leaf, Variable gradient) {
    for (const Target& target : targets_at(leaf.get()))
        results_[target.number] = sum_gradients(results_[target.number], gradient);
}

void TargetSink::node(Node& node) {
    for (const Target& target : targets_at(&node))
        results_[target.number] = scratches.of(node).pending[target.output];
}

void TargetSink::expand(Node& node) {
    expand_region(node);
    mark_of(node) = unseen;
    mark(&node);
}

std::span<const TargetSink::Target> TargetSink::targets_at(const void* place) const {
    return std::ranges::equal_range(targets_, place, std::less(), &Target::place);
}

void TargetSink::mark(Node* root) {
    if (!root) return;
    // Depth first with an explicit stack: graphs of any depth.
    ReusedVector<std::pair<Node*, bool>> stack;
    stack.push_back({root, false});
    while (!stack.empty()) {
        auto [node, children_done] = stack.back();
        stack.pop_back();
        if (children_done) {
            if (is_target(node) || leads_below(*node) || hides_what_is_below(*node))
                mark_of(*node) = useful;
            continue;
        }
        if (mark_of(*node) != unseen) continue;
        mark_of(*node) = seen;
        seen_.emplace_back(node);
        stack.push_back({node, true});
        if (is_border_ && is_target(node)) continue;
        for (const Edge& edge : node->edges)
            if (edge.node) stack.push_back({edge.node.get(), false});
    }
}

bool TargetSink::hides_what_is_below(const Node& node) const {
    return node.region && !node.region->is_expandable() && node.edges.empty() &&
           std::ranges::any_of(targets_,
                               [&](const Target& target) { return target.place != &node; });
}

bool TargetSink::leads_below(const Node& node) const {
    if (is_border_ && is_target(&node)) return false;
    for (const Edge& edge : node.edges)
        if ((edge.leaf && is_target(edge.leaf.get())) ||
            (edge.node && mark_of(*edge.node) == useful))
            return true;
    return false;
}

}  // namespace catena
