#pragma once

#include "runtime/graph/walk/gradient_walk.h"

namespace catena {

/// A sink that reports to a WalkMemory what a walk does, so that it can be repeated.
class RememberingSink final : public GradientSink {
public:
    RememberingSink(GradientSink& sink, WalkMemory& memory)
        : GradientSink(sink.scratches), sink_(sink), memory_(memory) {}
    void leaf(const Ref<VariableBody>& leaf, Variable gradient) override;
    void node(Node& node) override;
    bool wants(Node& node) const override { return sink_.wants(node); }
    bool goes_below(const Node& node) const override { return sink_.goes_below(node); }
    bool wants_leaf(const VariableBody* leaf) const override { return sink_.wants_leaf(leaf); }
    void expand(Node& node) override { sink_.expand(node); }

private:
    GradientSink& sink_;
    WalkMemory& memory_;
};

/// The WalkMemory of the current recorder. Null where the user's code takes part in a walk.
WalkMemory* walk_memory(bool retain_grad, bool enable_double_backprop);

}  // namespace catena
