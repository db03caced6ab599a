#pragma once

#include <unordered_map>

#include "runtime/core/memory/reused_vector.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/node/unchain.h"
#include "runtime/graph/walk/walk_memory.h"

namespace catena {

/// The notes that one walk over the graph makes about its nodes: in the nodes, or in a table of its
/// own while another walk of this thread is under way. That happens because a gradient may call
/// grad(), as those of composites do, over nodes that the outer walk has marked.
class WalkScratches {
public:
    WalkScratches();
    ~WalkScratches();
    WalkScratches(const WalkScratches&) = delete;
    WalkScratch& of(Node& node) { return is_nested_ ? beside_[&node] : node.walk; }

private:
    const bool is_nested_;
    std::unordered_map<const Node*, WalkScratch> beside_;
};

/// Receives the finished gradients of one walk.
class GradientSink {
public:
    explicit GradientSink(WalkScratches& scratches) : scratches(scratches) {}
    virtual ~GradientSink() = default;
    WalkScratches& scratches;
    virtual void leaf(const Ref<VariableBody>& leaf, Variable gradient) = 0;
    /// Called when all gradients of the node's outputs are complete.
    virtual void node([[maybe_unused]] Node& node) {}
    /// False if the gradients of the node's outputs are not needed.
    virtual bool wants([[maybe_unused]] Node& node) const { return true; }
    /// False if no gradient below the node is needed, so that its own gradient need not run.
    virtual bool goes_below([[maybe_unused]] const Node& node) const { return true; }
    virtual bool wants_leaf([[maybe_unused]] const VariableBody* leaf) const { return true; }
    /// Called when one edge to the leaf has been processed, with or without a gradient.
    virtual void edge_done([[maybe_unused]] const Ref<VariableBody>& leaf) {}
    /// Expands a region's node that gradients have reached into its single operations:
    /// expand_region(node).
    virtual void expand(Node& node) { expand_region(node); }
};

/// One walk over the graph from outputs to leaves, deepest node first.
class GradientWalk {
public:
    GradientWalk(GradientSink& sink, bool retain_grad) : sink_(sink), retain_grad_(retain_grad) {}
    ~GradientWalk();
    GradientWalk(const GradientWalk&) = delete;

    void start(const Variable& output, const Variable& gradient) {
        send(edge_of(output), gradient);
    }
    void run();

private:
    void reset(Node& node);
    void send(const Edge& edge, Variable gradient);
    void visit(Node& node);
    SmallVector<Variable, 2> take_gradients(Node& node);
    Variables gradients_of_inputs(Node& node, std::span<const Variable> gy);
    void send_below(const Node& node, Variables gx);

    GradientSink& sink_;
    bool retain_grad_;
    ReusedVector<Ref<Node>> heap_;
};

/// Runs the whole walk that `request` describes.
void walk(const WalkRequest& request, GradientSink& sink, bool retain_grad);

/// a + b, where either may be undefined: no gradient so far.
Variable sum_gradients(const Variable& a, Variable b);
void store_gradient(const Ref<VariableBody>& body, Variable gradient);

/// Whether the gradients themselves become part of a graph or a recording, which needs the nodes of
/// single operations.
bool gradients_are_recorded();

}  // namespace catena
