#pragma once

#include <unordered_map>
#include <unordered_set>

#include "runtime/graph/walk/gradient_listener.h"
#include "runtime/graph/walk/gradient_walk.h"

namespace catena {

/// A sink that adds the gradients of a walk to the leaves' own.
class LeafSink : public GradientSink {
public:
    using GradientSink::GradientSink;
    void leaf(const Ref<VariableBody>& leaf, Variable gradient) override;
};

/// A sink that tells the thread's listener when the last edge to a leaf is done.
class CountingSink final : public LeafSink {
public:
    CountingSink(WalkScratches& scratches, GradientListener& listener,
                 std::span<const Variable> outputs);
    void edge_done(const Ref<VariableBody>& leaf) override;
    void expand(Node& node) override;

private:
    /// Counts the edges below `root` that have not been counted yet.
    void count(const Node& root);

    GradientListener& listener_;
    std::unordered_set<const Node*> seen_;
    std::unordered_map<const VariableBody*, int64_t> edges_;
};

}  // namespace catena
