#include "runtime/graph/walk/gradient_walk.h"

#include <algorithm>
#include <optional>

#include "runtime/core/array/device.h"
#include "runtime/core/system/notice.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node_hooks.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/hooks.h"
#include "runtime/graph/op/user_function.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

thread_local int running_walks = 0;

/// The gradient of a region runs as a whole, so the part that flows to one result through another
/// is not available.
bool lacks_inner_result(const Node& node, std::span<const Variable> gradients) {
    if (!node.region) return false;
    for (size_t i = 0; i < gradients.size(); ++i)
        for (size_t j = 0; j < gradients.size() && gradients[i].defined(); ++j)
            if (j != i && node.outputs[j] && node.region->is_computed_from(int(i), int(j)))
                return true;
    return false;
}

// Deepest first; among equals the latest.
bool later(const Ref<Node>& a, const Ref<Node>& b) { return is_visited_after(*a, *b); }

Device& device_of_gradient(std::span<const Variable> gy) {
    for (const Variable& g : gy)
        if (g.defined() && !g.device().is_meta()) return g.device();
    return current_device();
}

/// A hook may add and remove hooks.
SmallVector<FunctionHook*, 2> copied(std::span<FunctionHook* const> hooks) {
    return SmallVector<FunctionHook*, 2>(hooks);
}

void check(const Node& node, int input, const Variable& gx) {
    if (!(gx.type() == node.input_types[input]))
        throw InternalError(fmt::format("{}: the gradient of input {} is {}, the input {}",
                                        node.op->name, input, to_string(gx.type()),
                                        to_string(node.input_types[input])));
}

Variables gradient_of(Node& node, std::span<const Variable> gy) {
    if (node.region) return node.region->gradient(node, gy);
    const GradientCall call(node, gy);
    if (const Ref<NodeFunction> function = node.function) return function->gradient(call);
    return node.op->gradient(call);
}

}  // namespace

WalkScratches::WalkScratches() : is_nested_(running_walks++ > 0) {}
WalkScratches::~WalkScratches() { --running_walks; }

Variable sum_gradients(const Variable& a, Variable b) {
    if (a.defined()) return a + b;
    return b;
}

void store_gradient(const Ref<VariableBody>& body, Variable gradient) {
    Variable(body).set_grad_variable(std::move(gradient));
}

bool gradients_are_recorded() { return config().enable_backprop || current_recorder(); }

GradientWalk::~GradientWalk() {  // Nonempty only when an error ended the walk.
    for (Ref<Node>& node : heap_) reset(*node);
}

void GradientWalk::run() {
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        Ref<Node> node = std::move(heap_.back());
        heap_.pop_back();
        visit(*node);
    }
}

void GradientWalk::reset(Node& node) {
    WalkScratch& scratch = sink_.scratches.of(node);
    scratch.pending.clear();
    scratch.queued = false;
}

void GradientWalk::send(const Edge& edge, Variable gradient) {
    if (!edge.wanted() || !gradient.defined()) return;
    if (edge.leaf) {
        if (sink_.wants_leaf(edge.leaf.get())) sink_.leaf(edge.leaf, std::move(gradient));
        return;
    }
    Node& node = *edge.node;
    if (!sink_.wants(node)) return;
    WalkScratch& scratch = sink_.scratches.of(node);
    if (!scratch.queued) {
        heap_.push_back(edge.node);  // From here on an error resets it.
        std::push_heap(heap_.begin(), heap_.end(), later);
        scratch.queued = true;
        scratch.pending.resize(node.output_types.size());
    }
    Variable& so_far = scratch.pending[edge.index];
    so_far = sum_gradients(so_far, std::move(gradient));
}

/// The gradients of a node's outputs. It is in no list any more, and ready for the next walk
/// whatever happens here.
SmallVector<Variable, 2> GradientWalk::take_gradients(Node& node) {
    struct Reset {
        GradientWalk& walk;
        Node& node;
        ~Reset() { walk.reset(node); }
    } const reset_in_any_case{*this, node};
    WalkScratch& scratch = sink_.scratches.of(node);
    if ((retain_grad_ && lacks_inner_result(node, scratch.pending)) ||
        (node.region && !node.region->serves(scratch.pending)))
        sink_.expand(node);
    sink_.node(node);
    node.walked = node.walked || !config().enable_backprop;
    return std::move(scratch.pending);
}

void GradientWalk::visit(Node& node) {
    const SmallVector<Variable, 2> gy = take_gradients(node);
    if (retain_grad_)
        for (size_t i = 0; i < gy.size(); ++i)
            if (node.outputs[i] && gy[i].defined())
                store_gradient(Ref<VariableBody>(node.outputs[i]), gy[i]);
    if (!sink_.goes_below(node)) return;
    if (Recorder* recorder = current_recorder()) recorder->walks(node);
    if (node.ended_at) [[unlikely]]
        notice_once(fmt::format(
            "backward: no gradient goes on through the result of {}, which has none, into {} ({})",
            node.ended_at->name, node.op->name, to_string(node.location)));
    LocationScope at(node.location);
    const DeviceScope beside(
        device_of_gradient(gy));  // A graph may lead from one device to another.
    const UserFunctionScope function(*node.op, UserFunctionScope::Part::gradient);
    send_below(node, gradients_of_inputs(node, gy));
}

Variables GradientWalk::gradients_of_inputs(Node& node, std::span<const Variable> gy) {
    for (FunctionHook* hook : copied(function_hooks()))
        hook->backward_preprocess(*node.op, node.kept_inputs, gy);
    for (FunctionHook* hook : copied(hooks_of(node)))
        hook->backward_preprocess(*node.op, node.kept_inputs, gy);
    Variables gx = gradient_of(node, gy);
    for (FunctionHook* hook : copied(hooks_of(node)))
        hook->backward_postprocess(*node.op, node.kept_inputs, gy);
    for (FunctionHook* hook : copied(function_hooks()))
        hook->backward_postprocess(*node.op, node.kept_inputs, gy);
    if (gx.size() != node.edges.size())
        throw InternalError(fmt::format("{}: {} gradients for {} inputs", node.op->name, gx.size(),
                                        node.edges.size()));
    return gx;
}

void GradientWalk::send_below(const Node& node, Variables gx) {
    for (size_t i = 0; i < gx.size(); ++i) {
        if (!node.edges[i].wanted()) continue;
        std::optional<LocationScope> line;
        if (node.region) line.emplace(node.region->location_of(int(i), node.location));
        if (gx[i].defined()) {
            check(node, int(i), gx[i]);
            send(node.edges[i], std::move(gx[i]));
        }
        if (node.edges[i].leaf) sink_.edge_done(node.edges[i].leaf);
    }
}

void walk(const WalkRequest& request, GradientSink& sink, bool retain_grad) {
    GradientWalk walk(sink, retain_grad);
    for (size_t i = 0; i < request.outputs.size(); ++i)
        walk.start(request.outputs[i], request.starts[i]);
    walk.run();
}

}  // namespace catena
