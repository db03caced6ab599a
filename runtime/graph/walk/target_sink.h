#pragma once

#include "runtime/graph/walk/gradient_walk.h"

namespace catena {

/// Collects the gradients of chosen variables and keeps the walk on paths to them.
class TargetSink final : public GradientSink {
public:
    TargetSink(WalkScratches& scratches, const WalkRequest& request);
    ~TargetSink() override;
    void leaf(const Ref<VariableBody>& leaf, Variable gradient) override;
    void node(Node& node) override;
    bool wants(Node& node) const override { return mark_of(node) == useful; }
    bool goes_below(const Node& node) const override {
        return leads_below(node) || hides_what_is_below(node);
    }
    bool wants_leaf(const VariableBody* leaf) const override { return is_target(leaf); }
    void expand(Node& node) override;
    Variables take() { return std::move(results_); }

private:
    enum : uint8_t { unseen, seen, useful };
    uint8_t& mark_of(Node& node) const { return scratches.of(node).mark; }

    /// One of the chosen variables: a leaf, or an output of a node.
    struct Target {
        const void* place;
        size_t number;
        int output;
        auto operator<=>(const Target&) const = default;
    };
    std::span<const Target> targets_at(const void* place) const;
    bool is_target(const void* place) const { return !targets_at(place).empty(); }

    /// Marks what is below `root`: a node is useful when it is a target or leads to one.
    void mark(Node* root);
    /// Whether the node is a region that did not keep its graph, so that any other target may be
    /// below it. Its gradient is then the error that says so, as for backward().
    bool hides_what_is_below(const Node& node) const;
    bool leads_below(const Node& node) const;

    ReusedVector<Target> targets_;  ///< The chosen variables, sorted.
    ReusedVector<Ref<Node>> seen_;
    bool is_border_;  ///< True if the walk does not go below the targets.
    Variables results_;
};

}  // namespace catena
