#include "runtime/graph/walk/leaf_sinks.h"

#include <vector>

#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/untrained.h"

namespace catena {
namespace {

/// Users read it by a pointer; a view, as of a sum's gradient, may repeat one element. Not where it
/// is a part of a graph or of a tracer's recording, which know operations only.
Variable row_major(Variable gradient) {
    const Recorder* const recorder = current_recorder();
    const bool is_recorded = config().enable_backprop || (recorder && !recorder->defers());
    if (is_recorded || gradient.array().contiguous()) return gradient;
    return Variable(gradient.array().as_contiguous(), false);
}

}  // namespace

void LeafSink::leaf(const Ref<VariableBody>& leaf, Variable gradient) {
    if (Recorder* recorder = current_recorder()) recorder->reads_gradient(*leaf);
    if (leaf->is_state && !leaf->is_trained) [[unlikely]]
        note_untrained_parameter(*leaf);
    if (leaf->grad_consumed)
        return;  // Accumulating into an unknown gradient leaves it unknown; reading it is an
                 // error.
    store_gradient(leaf, row_major(sum_gradients(Variable(leaf->grad), std::move(gradient))));
}

CountingSink::CountingSink(WalkScratches& scratches, GradientListener& listener,
                           std::span<const Variable> outputs)
    : LeafSink(scratches), listener_(listener) {
    for (const Variable& output : outputs) {
        const Edge edge = edge_of(output);
        if (edge.leaf) ++edges_[edge.leaf.get()];
        if (edge.node && seen_.insert(edge.node.get()).second) count(*edge.node);
    }
}

void CountingSink::edge_done(const Ref<VariableBody>& leaf) {
    if (--edges_.at(leaf.get()) == 0) listener_.complete(leaf);
}

void CountingSink::expand(Node& node) {
    for (const Edge& edge : node.edges)
        if (edge.leaf) --edges_.at(edge.leaf.get());
    expand_region(node);
    count(node);
}

void CountingSink::count(const Node& root) {
    std::vector<const Node*> waiting{&root};
    while (!waiting.empty()) {
        const Node* node = waiting.back();
        waiting.pop_back();
        for (const Edge& edge : node->edges) {
            if (edge.leaf) ++edges_[edge.leaf.get()];
            if (edge.node && seen_.insert(edge.node.get()).second)
                waiting.push_back(edge.node.get());
        }
    }
}

}  // namespace catena
