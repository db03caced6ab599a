#include "runtime/graph/backward.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/core/reused_vector.h"
#include "runtime/graph/autocast.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/graph/config.h"
#include "runtime/graph/hooks.h"
#include "runtime/graph/node.h"
#include "runtime/graph/node_hooks.h"
#include "runtime/graph/recorder.h"
#include "runtime/graph/unchain.h"
#include "runtime/graph/user_function.h"
#include "runtime/graph/walk_memory.h"

namespace catena {
namespace {

/// What one walk knows of the nodes: in them, or beside them while another walk of this thread runs. A gradient may call grad(), as those of
/// composites do, over nodes that the outer walk has marked or collects gradients for.
class WalkScratches {
public:
    WalkScratches() : is_nested_(running_++ > 0) {}
    ~WalkScratches() { --running_; }
    WalkScratches(const WalkScratches&) = delete;
    WalkScratch& of(Node& node) { return is_nested_ ? beside_[&node] : node.walk; }

private:
    static thread_local int running_;
    const bool is_nested_;
    std::unordered_map<const Node*, WalkScratch> beside_;
};
thread_local int WalkScratches::running_ = 0;

/// Receives the finished gradients of one backward run.
class Sink {
public:
    explicit Sink(WalkScratches& scratches) : scratches(scratches) {}
    virtual ~Sink() = default;
    WalkScratches& scratches;
    virtual void leaf(const Ref<VariableBody>& leaf, const Variable& gradient) = 0;
    /// All gradients of the node's outputs are complete.
    virtual void node(Node& node) {}
    /// False: the gradients of the node's outputs are not needed.
    virtual bool wants(Node& node) const { return true; }
    /// False: no gradient below the node is needed, so its own need not run.
    virtual bool goes_below(const Node& node) const { return true; }
    virtual bool wants_leaf(const VariableBody* leaf) const { return true; }
    /// One edge to the leaf has been processed, with or without a gradient.
    virtual void edge_done(const Ref<VariableBody>& leaf) {}
    /// expand_region(node), of which gradients have come.
    virtual void expand(Node& node) { expand_region(node); }
};

Variable sum_gradients(const Variable& a, const Variable& b) { return a.defined() ? a + b : b; }

void store_gradient(const Ref<VariableBody>& body, const Variable& gradient) {
    Variable(body).set_grad_variable(gradient);
}

/// The gradient of a region runs as a whole, so the part that flows to one result through another is not available.
bool lacks_inner_result(const Node& node, std::span<const Variable> gradients) {
    if (!node.region) return false;
    for (size_t i = 0; i < gradients.size(); ++i)
        for (size_t j = 0; j < gradients.size() && gradients[i].defined(); ++j)
            if (j != i && node.outputs[j] && node.region->is_computed_from(int(i), int(j))) return true;
    return false;
}

bool is_inner_result(const Edge& edge) {
    if (!edge.node || !edge.node->region) return false;
    for (size_t i = 0; i < edge.node->outputs.size(); ++i)
        if (int(i) != edge.index && edge.node->region->is_computed_from(int(i), edge.index)) return true;
    return false;
}

/// Whether the gradients themselves become part of a graph or a recording, which needs single operations.
bool is_recorded() { return config().enable_backprop || current_recorder(); }

/// One walk over the graph from outputs to leaves, deepest node first.
class Walk {
public:
    Walk(Sink& sink, bool retain_grad) : sink_(sink), retain_grad_(retain_grad) {}
    ~Walk() {  // Nonempty only when an error ended the walk.
        for (Ref<Node>& node : heap_) reset(*node);
    }

    void start(const Variable& output, const Variable& gradient) { send(edge_of(output), gradient); }

    void run() {
        while (!heap_.empty()) {
            std::pop_heap(heap_.begin(), heap_.end(), later);
            Ref<Node> node = std::move(heap_.back());
            heap_.pop_back();
            visit(*node);
        }
    }

private:
    // Deepest first; among equals the latest.
    static bool later(const Ref<Node>& a, const Ref<Node>& b) { return is_visited_after(*a, *b); }
    void reset(Node& node) {
        WalkScratch& scratch = sink_.scratches.of(node);
        scratch.pending.clear();
        scratch.queued = false;
    }

    void send(const Edge& edge, const Variable& gradient) {
        if (!edge.wanted() || !gradient.defined()) return;
        if (edge.leaf) {
            if (sink_.wants_leaf(edge.leaf.get())) sink_.leaf(edge.leaf, gradient);
            return;
        }
        Node& node = *edge.node;
        if (!sink_.wants(node)) return;
        WalkScratch& scratch = sink_.scratches.of(node);
        if (!scratch.queued) {
            scratch.queued = true;
            scratch.pending.resize(node.output_types.size());
            heap_.push_back(edge.node);
            std::push_heap(heap_.begin(), heap_.end(), later);
        }
        scratch.pending[edge.index] = sum_gradients(scratch.pending[edge.index], gradient);
    }

    void visit(Node& node) {
        WalkScratch& scratch = sink_.scratches.of(node);
        if ((retain_grad_ && lacks_inner_result(node, scratch.pending)) || (node.region && !node.region->serves(scratch.pending)))
            sink_.expand(node);
        sink_.node(node);
        node.walked = node.walked || !config().enable_backprop;
        SmallVector<Variable, 2> gy = std::move(scratch.pending);
        reset(node);
        if (retain_grad_)
            for (size_t i = 0; i < gy.size(); ++i)
                if (node.outputs[i] && gy[i].defined()) store_gradient(Ref<VariableBody>(node.outputs[i]), gy[i]);
        if (!sink_.goes_below(node)) return;
        if (Recorder* recorder = current_recorder()) recorder->walks(node);
        LocationScope at(node.location);
        const DeviceScope beside(device_of(gy));  // A graph may lead from one device to another.
        const UserFunctionScope function(*node.op, UserFunctionScope::Part::gradient);
        for (FunctionHook* hook : function_hooks()) hook->backward_preprocess(*node.op, node.kept_inputs, gy);
        for (FunctionHook* hook : hooks_of(node)) hook->backward_preprocess(*node.op, node.kept_inputs, gy);
        Variables gx = node.region ? node.region->gradient(node, gy)
                                   : node.op->gradient(GradientCall(node, gy));
        for (FunctionHook* hook : hooks_of(node)) hook->backward_postprocess(*node.op, node.kept_inputs, gy);
        for (FunctionHook* hook : function_hooks()) hook->backward_postprocess(*node.op, node.kept_inputs, gy);
        if (gx.size() != node.edges.size())
            throw InternalError(fmt::format("{}: {} gradients for {} inputs", node.op->name, gx.size(), node.edges.size()));
        for (size_t i = 0; i < gx.size(); ++i) {
            if (!node.edges[i].wanted()) continue;
            if (gx[i].defined()) {
                check(node, int(i), gx[i]);
                send(node.edges[i], gx[i]);
            }
            if (node.edges[i].leaf) sink_.edge_done(node.edges[i].leaf);
        }
    }

    static Device& device_of(std::span<const Variable> gy) {
        for (const Variable& g : gy)
            if (g.defined() && !g.device().is_meta()) return g.device();
        return current_device();
    }

    void check(const Node& node, int input, const Variable& gx) const {
        if (!(gx.type() == node.input_types[input]))
            throw InternalError(fmt::format("{}: the gradient of input {} is {}, the input {}", node.op->name, input,
                                            to_string(gx.type()), to_string(node.input_types[input])));
    }

    Sink& sink_;
    bool retain_grad_;
    ReusedVector<Ref<Node>> heap_;
};

class LeafSink : public Sink {
public:
    using Sink::Sink;
    void leaf(const Ref<VariableBody>& leaf, const Variable& gradient) override {
        if (Recorder* recorder = current_recorder()) recorder->reads_gradient(*leaf);
        if (leaf->grad_consumed) return;  // Accumulating into an unknown gradient leaves it unknown; reading it is an
                                          // error.
        store_gradient(leaf, row_major(sum_gradients(Variable(leaf->grad), gradient)));
    }

private:
    /// Users read it by a pointer; a view, as of a sum's gradient, may repeat one element.
    static Variable row_major(const Variable& gradient) {
        if (is_recorded() || gradient.array().contiguous()) return gradient;
        return Variable(gradient.array().as_contiguous(), false);
    }
};

/// Tells the listener when the last edge to a leaf is done.
class CountingSink final : public LeafSink {
public:
    CountingSink(WalkScratches& scratches, GradientListener& listener, std::span<const Variable> outputs)
        : LeafSink(scratches), listener_(listener) {
        for (const Variable& output : outputs) {
            const Edge edge = edge_of(output);
            if (edge.leaf) ++edges_[edge.leaf.get()];
            if (edge.node && seen_.insert(edge.node.get()).second) count(*edge.node);
        }
    }
    void edge_done(const Ref<VariableBody>& leaf) override {
        if (--edges_.at(leaf.get()) == 0) listener_.complete(leaf);
    }
    void expand(Node& node) override {
        for (const Edge& edge : node.edges)
            if (edge.leaf) --edges_.at(edge.leaf.get());
        expand_region(node);
        count(node);
    }

private:
    /// The edges of what is below `root` and has not been seen.
    void count(const Node& root) {
        std::vector<const Node*> waiting{&root};
        while (!waiting.empty()) {
            const Node* node = waiting.back();
            waiting.pop_back();
            for (const Edge& edge : node->edges) {
                if (edge.leaf) ++edges_[edge.leaf.get()];
                if (edge.node && seen_.insert(edge.node.get()).second) waiting.push_back(edge.node.get());
            }
        }
    }

    GradientListener& listener_;
    std::unordered_set<const Node*> seen_;
    std::unordered_map<const VariableBody*, int64_t> edges_;
};

/// Collects the gradients of chosen variables and keeps the walk on paths to them.
class TargetSink : public Sink {
public:
    /// `is_border`: nothing below the targets is walked.
    TargetSink(WalkScratches& scratches, const WalkRequest& request)
        : Sink(scratches), is_border_(request.targets_are_border), results_(request.targets.size()) {
        const std::span<const Edge> targets = request.targets;
        for (size_t i = 0; i < targets.size(); ++i) {
            const Edge& edge = targets[i];
            if (edge.leaf) targets_.push_back({edge.leaf.get(), i, 0});
            if (edge.node) targets_.push_back({edge.node.get(), i, edge.index});
        }
        std::ranges::sort(targets_, std::less());
        for (const Variable& output : request.outputs) mark(edge_of(output).node.get());
    }
    ~TargetSink() override {
        for (const Ref<Node>& node : seen_) mark_of(*node) = unseen;
    }
    void leaf(const Ref<VariableBody>& leaf, const Variable& gradient) override {
        for (const Target& target : targets_at(leaf.get())) results_[target.number] = sum_gradients(results_[target.number], gradient);
    }
    void node(Node& node) override {
        for (const Target& target : targets_at(&node)) results_[target.number] = scratches.of(node).pending[target.output];
    }
    bool wants(Node& node) const override { return mark_of(node) == useful; }
    bool goes_below(const Node& node) const override { return leads_below(node) || hides_what_is_below(node); }
    bool wants_leaf(const VariableBody* leaf) const override { return is_target(leaf); }
    void expand(Node& node) override {
        expand_region(node);
        mark_of(node) = unseen;
        mark(&node);
    }
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
    std::span<const Target> targets_at(const void* place) const { return std::ranges::equal_range(targets_, place, std::less(), &Target::place); }
    bool is_target(const void* place) const { return !targets_at(place).empty(); }

    // Depth first with an explicit stack: a node is useful when it is a target or leads to one.
    void mark(Node* root) {
        if (!root) return;
        ReusedVector<std::pair<Node*, bool>> stack;
        stack.push_back({root, false});
        while (!stack.empty()) {
            auto [node, children_done] = stack.back();
            stack.pop_back();
            if (children_done) {
                if (is_target(node) || leads_below(*node) || hides_what_is_below(*node)) mark_of(*node) = useful;
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
    /// Of a region that did not keep its graph: any other target may be below. Its gradient is the error that says so, as for backward().
    bool hides_what_is_below(const Node& node) const {
        return node.region && !node.region->is_expandable() && node.edges.empty() &&
               std::ranges::any_of(targets_, [&](const Target& target) { return target.place != &node; });
    }
    bool leads_below(const Node& node) const {
        if (is_border_ && is_target(&node)) return false;
        for (const Edge& edge : node.edges)
            if ((edge.leaf && is_target(edge.leaf.get())) || (edge.node && mark_of(*edge.node) == useful)) return true;
        return false;
    }

    ReusedVector<Target> targets_;  ///< Sorted.
    ReusedVector<Ref<Node>> seen_;
    bool is_border_;
    Variables results_;
};

/// Reports what a walk does, to be done again.
class RememberingSink final : public Sink {
public:
    RememberingSink(Sink& sink, WalkMemory& memory) : Sink(sink.scratches), sink_(sink), memory_(memory) {}
    void leaf(const Ref<VariableBody>& leaf, const Variable& gradient) override {
        sink_.leaf(leaf, gradient);
        memory_.stored(*leaf);
    }
    void node(Node& node) override {
        sink_.node(node);
        memory_.visits(node);
    }
    bool wants(Node& node) const override { return sink_.wants(node); }
    bool goes_below(const Node& node) const override { return sink_.goes_below(node); }
    bool wants_leaf(const VariableBody* leaf) const override { return sink_.wants_leaf(leaf); }
    void expand(Node& node) override { sink_.expand(node); }

private:
    Sink& sink_;
    WalkMemory& memory_;
};

thread_local GradientListener* listener = nullptr;

/// Null where code of the user's takes part in a walk.
WalkMemory* walk_memory(bool retain_grad, bool enable_double_backprop) {
    if (listener || retain_grad || enable_double_backprop || !function_hooks().empty() || has_node_hooks()) return nullptr;
    return dynamic_cast<WalkMemory*>(current_recorder());
}

void walk(const WalkRequest& request, Sink& sink, bool retain_grad) {
    Walk walk(sink, retain_grad);
    for (size_t i = 0; i < request.outputs.size(); ++i) walk.start(request.outputs[i], request.starts[i]);
    walk.run();
}

}  // namespace

GradientListenerScope::GradientListenerScope(GradientListener& next) : previous_(listener) { listener = &next; }
GradientListenerScope::~GradientListenerScope() { listener = previous_; }

void run_backward(std::span<const Variable> outputs, std::span<const Variable> grad_outputs,
                  const BackwardOptions& options) {
    auto mode = using_config(&Config::enable_backprop, options.enable_double_backprop);
    const AutocastScope no_casting(Dtype::float32);
    const WalkRequest request{.outputs = outputs, .starts = grad_outputs, .into_leaves = true};
    Variables none;
    WalkMemory* memory = walk_memory(options.retain_grad, options.enable_double_backprop);
    if (memory && memory->repeat(request, none)) return;
    if (is_recorded()) expand_regions_below(outputs);
    WalkScratches scratches;
    LeafSink leaves(scratches);
    if (memory) {
        RememberingSink remembering(leaves, *memory);
        walk(request, remembering, false);
        memory->ended({});
    } else if (listener) {
        CountingSink counting(scratches, *listener, outputs);
        walk(request, counting, options.retain_grad);
    } else {
        walk(request, leaves, options.retain_grad);
    }
}

void backward(const VariableList& outputs, const VariableList& grad_outputs, bool enable_double_backprop) {
    if (!grad_outputs.empty() && grad_outputs.size() != outputs.size())
        fail<ValueError>("backward: {} outputs, {} grad_outputs", outputs.size(), grad_outputs.size());
    std::vector<Variable> starts;
    for (size_t i = 0; i < outputs.size(); ++i) {
        starts.push_back(grad_outputs.empty() ? outputs[i].grad_variable() : grad_outputs[i]);
        if (!starts.back().defined())
            fail<ValueError>("backward: output {} ({}) has no gradient", i, to_string(outputs[i].type()));
    }
    run_backward(outputs, starts, {.enable_double_backprop = enable_double_backprop});
    for (const Variable& output : outputs)
        if (output.body()->creator) output.cleargrad();
}

Variables gradients_at_border(std::span<const Variable> outputs, std::span<const Edge> border,
                              std::span<const Variable> grad_outputs) {
    auto mode = no_backprop_mode();
    const AutocastScope no_casting(Dtype::float32);
    const DeviceScope beside(outputs.empty() ? current_device() : outputs[0].device());
    const WalkRequest request{.outputs = outputs, .starts = grad_outputs, .targets = border, .targets_are_border = true};
    WalkScratches scratches;
    TargetSink sink(scratches, request);
    walk(request, sink, false);
    return sink.take();
}

namespace {

/// Adds the gradients that the inputs begin with.
void add_first(const VariableList& inputs, const std::vector<Variable>& first, Variables& results) {
    for (size_t i = 0; i < first.size(); ++i) {
        if (!first[i].defined()) continue;
        if (!(first[i].type() == inputs[i].type()))
            fail<ShapeError>("grad: input {} is {}, its grad_input {}", i, to_string(inputs[i].type()), to_string(first[i].type()));
        results[i] = results[i].defined() ? first[i] + results[i] : first[i];
    }
}

}  // namespace

namespace {

Variables gradients_of(const WalkRequest& request, const GradOptions& options) {
    Variables results;
    WalkMemory* memory = walk_memory(options.retain_grad, options.enable_double_backprop);
    if (memory && memory->repeat(request, results)) return results;
    WalkScratches scratches;
    TargetSink sink(scratches, request);
    if (!memory) {
        walk(request, sink, options.retain_grad);
        return sink.take();
    }
    RememberingSink remembering(sink, *memory);
    walk(request, remembering, false);
    results = sink.take();
    memory->ended(results);
    return results;
}

}  // namespace

VariableList::VariableList(std::initializer_list<Variable> variables) : span(variables.begin(), variables.size()) {}

namespace {

Variables grad_from(const VariableList& outputs, const VariableList& inputs, const VariableList& grad_outputs, const GradOptions& options,
                    bool inputs_are_border) {
    if (!options.grad_inputs.empty() && options.grad_inputs.size() != inputs.size())
        fail<ValueError>("grad: {} inputs, {} grad_inputs", inputs.size(), options.grad_inputs.size());
    if (!grad_outputs.empty() && grad_outputs.size() != outputs.size())
        fail<ValueError>("grad: {} outputs, {} grad_outputs", outputs.size(), grad_outputs.size());
    auto mode = using_config(&Config::enable_backprop, options.enable_double_backprop);
    const AutocastScope no_casting(Dtype::float32);
    const DeviceScope beside(outputs.empty() ? current_device() : outputs[0].device());
    if (is_recorded() || options.retain_grad) expand_regions_below(outputs);
    SmallVector<Edge, 4> targets;
    for (const Variable& input : inputs)
        if (const Edge edge = edge_of(input); is_inner_result(edge)) expand_region(*edge.node);
    for (const Variable& input : inputs) targets.push_back(edge_of(input));
    SmallVector<Variable, 4> starts;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const Variable start = grad_outputs.empty() ? Variable() : grad_outputs[i];
        if (start.defined() && !(start.type() == outputs[i].type()))
            fail<ShapeError>("grad: output {} is {}, its grad_output {}", i, to_string(outputs[i].type()), to_string(start.type()));
        starts.push_back(start.defined() ? start : fill(outputs[i].type(), options.loss_scale));
    }
    Variables results =
        gradients_of({.outputs = outputs, .starts = starts, .targets = targets, .targets_are_border = inputs_are_border}, options);
    add_first(inputs, options.grad_inputs, results);
    if (options.set_grad)
        for (size_t i = 0; i < inputs.size(); ++i) inputs[i].set_grad_variable(results[i]);
    return results;
}

}  // namespace

Variables grad(const VariableList& outputs, const VariableList& inputs, const VariableList& grad_outputs, const GradOptions& options) {
    return grad_from(outputs, inputs, grad_outputs, options, false);
}

Variables grad_inside(std::span<const Variable> outputs, std::span<const Variable> inputs, std::span<const Variable> grad_outputs,
                      bool enable_double_backprop) {
    return grad_from(outputs, inputs, grad_outputs, {.enable_double_backprop = enable_double_backprop}, true);
}

}  // namespace catena
