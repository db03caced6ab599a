#include "runtime/ops/custom/forget.h"

#include <algorithm>
#include <unordered_set>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/call_changes.h"
#include "runtime/graph/call/recomputing.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/node/owned_objects.h"
#include "runtime/graph/node/unchain.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/graph/settings/settings_scope.h"
#include "runtime/graph/walk/backward.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

const OpDef& op_forget = register_op({
    .name = "forget",
    .input_count = -1,
    .output_count = -1,
    // Its nodes have a RegionGradient instead.
    .gradient = [](const GradientCall&) -> Variables {
        throw InternalError("forget: a node without its function");
    },
});

bool leads_to_same(const Edge& a, const Edge& b) {
    return a.leaf == b.leaf && a.node == b.node && (a.leaf || a.index == b.index);
}

/// The edges by which a graph leaves the nodes that were made from `first` on.
struct Border {
    std::vector<Edge> edges;
    std::vector<Type> types;

    Border(std::span<const Variable> ys, uint64_t first) : first_(first) {
        for (const Variable& y : ys) follow(edge_of(y), y.type());
        while (!waiting_.empty()) {
            const Node* node = waiting_.back();
            waiting_.pop_back();
            for (size_t i = 0; i < node->edges.size(); ++i)
                follow(node->edges[i], node->input_types[i]);
        }
    }

    bool has(const Edge& edge) const {
        return std::ranges::any_of(edges,
                                   [&](const Edge& other) { return leads_to_same(other, edge); });
    }

private:
    void follow(const Edge& edge, const Type& type) {
        if (!edge.wanted()) return;
        if (edge.node && edge.node->sequence >= first_) {
            if (seen_.insert(edge.node.get()).second) waiting_.push_back(edge.node.get());
            return;
        }
        if (has(edge)) return;
        edges.push_back(edge);
        types.push_back(type);
    }

    uint64_t first_;
    std::vector<const Node*> waiting_;
    std::unordered_set<const Node*> seen_;
};

/// This thread's random numbers. Backward may run in another thread, which draws from a state of
/// its own.
class HeldRandom final : public Held {
public:
    explicit HeldRandom(Array array) : array_(std::move(array)) {}
    std::unique_ptr<Held> now() const override {
        return std::make_unique<HeldRandom>(random_state().array());
    }
    void put_back() const override { assign(random_state(), Variable(array_, false)); }
    bool is_reachable() const override { return true; }

private:
    Array array_;
};

/// The settings of this thread.
struct Settings {
    Config config = catena::config();
    Dtype autocast = autocast_dtype();
    Device* device = &current_device();
};

/// The settings of an earlier call and what it found outside the graph, until the scope ends.
class EarlierCall {
public:
    EarlierCall(const Settings& settings, const HeldList& found)
        : settings_(settings.config),
          casting_(settings.autocast),
          beside_(*settings.device),
          found_(found) {}

private:
    SettingsScope settings_;
    AutocastScope casting_;
    DeviceScope beside_;
    RecomputingScope recomputing_;
    EarlierScope found_;
};

/// The places where a call may have left variables with their graphs (the memory of a recurrent
/// link).
std::vector<Variable*> places_of(const HeldList& found) {
    std::vector<Variable*> places;
    for (const auto& held : found)
        for (Variable* place : held->variables()) places.push_back(place);
    return places;
}

/// What the first call found and left.
struct FirstCall {
    Settings settings;
    HeldList found;
    size_t results = 0;
    std::vector<size_t>
        left;  ///< The places whose variables follow the results as further outputs of the node.
};

/// Calls the function again for its gradient.
class Recomputed : public RegionGradient {
public:
    Recomputed(ForgettableFunction f, std::span<const Variable> xs, FirstCall first)
        : f_(std::move(f)), first_(std::move(first)) {
        for (const Variable& x : xs) {
            arrays_.push_back(x.defined() ? x.array() : Array());
            edges_.push_back(edge_of(x));
        }
    }

    Variables gradient(Node& node, std::span<const Variable> gy) override {
        const Variables ys = run_again(node);
        std::vector<Variable> outputs, starts;
        for (size_t i = 0; i < ys.size(); ++i) {
            if (!gy[i].defined() || !ys[i].requires_grad()) continue;
            outputs.push_back(ys[i]);
            starts.push_back(gy[i]);
        }
        return gradients_at_border(outputs, present_border(node), starts);
    }

    std::vector<Edge> expand(Node& node) override {
        std::vector<Edge> edges;
        for (const Variable& y : run_again(node)) edges.push_back(edge_of(y));
        return edges;
    }

protected:
    std::span<const Edge> inputs() const { return edges_; }

private:
    /// Where the second run's graph ends, each place once.
    static std::vector<Edge> present_border(const Node& node) {
        std::vector<Edge> border;
        for (const Edge& edge : node.edges) {
            Edge present = behind_expanded(edge);
            if (std::ranges::any_of(
                    border, [&](const Edge& known) { return leads_to_same(known, present); }))
                present = {};
            border.push_back(std::move(present));
        }
        return border;
    }

    Variables run_again(const Node& node) const {
        std::vector<Variable> xs;
        for (size_t i = 0; i < arrays_.size(); ++i)
            xs.push_back(arrays_[i].defined() ? reconstruct(arrays_[i], edges_[i]) : Variable());
        const EarlierCall earlier(first_.settings, first_.found);
        Variables ys = f_(xs);
        check_results(ys, node);
        add_left(ys, node);
        return ys;
    }

    void check_results(const Variables& ys, const Node& node) const {
        if (ys.size() != first_.results)
            fail<ValueError>("forget: the function gives {} results in backward, it gave {} before",
                             ys.size(), first_.results);
        for (size_t i = 0; i < ys.size(); ++i)
            if (!(ys[i].type() == node.output_types[i]))
                fail<ValueError>(
                    "forget: result {} of the function is {} in backward, it was {} before", i,
                    to_string(ys[i].type()), to_string(node.output_types[i]));
    }

    void add_left(Variables& ys, const Node& node) const {
        const std::vector<Variable*> places = places_of(first_.found);
        for (size_t place : first_.left) {
            const bool is_there = place < places.size() && places[place]->defined();
            if (!is_there || !(places[place]->type() == node.output_types[ys.size()]))
                fail<ValueError>(
                    "forget: the function leaves another state in backward than before, where that "
                    "was {}",
                    to_string(node.output_types[ys.size()]));
            ys.push_back(*places[place]);
        }
    }

    ForgettableFunction f_;
    FirstCall first_;
    std::vector<Array> arrays_;
    std::vector<Edge> edges_;
};

using Owned = std::function<void(OwnedVisitor&)>;

/// The recomputed call of a function of another language.
class RecomputedElsewhere final : public Recomputed, public ObjectOwner {
public:
    RecomputedElsewhere(const ForgettableFunction& f, std::span<const Variable> xs, FirstCall first,
                        Owned owned)
        : Recomputed(f, xs, std::move(first)), owned_(std::move(owned)) {}
    void visit(OwnedVisitor& visitor) const override {
        for (const Edge& edge : inputs()) visitor.edge(edge);
        owned_(visitor);
    }

private:
    Owned owned_;
};

std::unique_ptr<RegionGradient> recomputed(const ForgettableFunction& f,
                                           std::span<const Variable> xs, FirstCall first,
                                           Owned owned) {
    if (!owned) return std::make_unique<Recomputed>(f, xs, std::move(first));
    return std::make_unique<RecomputedElsewhere>(f, xs, std::move(first), std::move(owned));
}

/// Collects the outputs of the node that stands for the nodes from `first` on.
class Outputs {
public:
    Outputs(std::span<const Variable> results, uint64_t first)
        : inner_(results.begin(), results.end()), first_(first) {}

    /// The graphs that the call left in places outside become outputs, too: the same ones for all
    /// who use them.
    void add_left(FirstCall& call) {
        call.results = inner_.size();
        const std::vector<Variable*> places = places_of(call.found);
        for (size_t i = 0; i < places.size(); ++i) {
            const VariableBody* body = places[i]->body();
            if (!body || !body->creator || body->creator->sequence < first_) continue;
            const auto known = std::ranges::find(inner_, body, &Variable::body);
            places_.push_back({places[i], size_t(known - inner_.begin())});
            if (known != inner_.end()) continue;
            call.left.push_back(i);
            inner_.push_back(*places[i]);
        }
    }

    std::span<const Variable> inner() const { return inner_; }

    /// New variables, as the function may have returned one of its inputs.
    std::vector<Variable> made() const {
        std::vector<Variable> ys;
        for (const Variable& y : inner_) ys.emplace_back(y.array(), false);
        return ys;
    }

    void store_left(std::span<const Variable> ys) const {
        for (const auto& [place, output] : places_) *place = ys[output];
    }

private:
    std::vector<Variable> inner_;
    std::vector<std::pair<Variable*, size_t>> places_;
    uint64_t first_;
};

/// f(xs), and what it found outside the graph.
Variables noted_call(const ForgettableFunction& f, std::span<const Variable> xs, HeldList& found) {
    auto random = std::make_unique<HeldRandom>(random_state().array());
    NotingScope noting;
    Variables results = f(xs);
    found = noting.take(random_state().body());
    found.push_back(std::move(random));
    return results;
}

}  // namespace

Variables forget(const ForgettableFunction& f, std::span<const Variable> xs,
                 const std::source_location& at) {
    return forget_with_objects(f, xs, {}, at);
}

Variables forget_with_objects(const ForgettableFunction& f, std::span<const Variable> xs,
                              std::function<void(OwnedVisitor&)> owned,
                              const std::source_location& at) {
    LocationScope location(at);
    if (!config().enable_backprop || current_recorder()) return f(xs);
    const uint64_t first = make_node(op_forget)->sequence;
    FirstCall call;
    Variables results = noted_call(f, xs, call.found);
    Outputs outputs(std::span<const Variable>(results.begin(), results.size()), first);
    outputs.add_left(call);
    const Border border(outputs.inner(), first);
    if (border.edges.empty()) return results;
    // Of variables that were found, those that nothing was computed from would only keep their
    // graphs alive.
    for (const auto& held : call.found)
        held->drop_graphs([&](const Variable& x) { return border.has(edge_of(x)); });
    const std::vector<Variable> ys = outputs.made();
    const size_t count = call.results;
    attach_region(op_forget, border.edges, border.types, ys,
                  recomputed(f, xs, std::move(call), std::move(owned)));
    outputs.store_left(ys);
    results.clear();
    for (size_t i = 0; i < count; ++i) results.push_back(ys[i]);
    return results;
}

}  // namespace catena
