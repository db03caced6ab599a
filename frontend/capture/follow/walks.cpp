#include "frontend/capture/follow/walks.h"

#include <algorithm>
#include <bit>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/node/user_gradient.h"
#include "runtime/graph/settings/config.h"

namespace catena::capture {
namespace {

/// Walks at one place that were made in vain; then no more are remembered there.
constexpr int most_walk_attempts = 8;

bool is_function_of_the_graph(const Node& node) {
    // Messages are ordered by the ranks of their nodes, which depend on other messages of the
    // thread.
    return !node.region && !has_user_gradient(*node.op) && !node.attributes.has("communicator");
}

}  // namespace

/// The walk may depend on whether a gradient is row-major (those of leaves are). False where that
/// cannot be told.
bool Walks::add_to_key(const Variable& gradient) {
    if (!gradient.defined()) {
        call_.graph.key.gradient(-1);
        return true;
    }
    const ArrayBody& body = *gradient.array().body();
    if (!call_.values.is_pending(body) || call_.values.shows_outside(body.value)) return false;
    call_.graph.key.gradient(body.value);
    return true;
}

/// Finds the graph, and writes into its key what the walk depends on; false if it leads out of this
/// call's graph.
bool Walks::describe(const WalkRequest& request) {
    LiveGraph& graph = call_.graph;
    graph.results.assign(request.outputs.begin(), request.outputs.end());
    for (const Variable& y : request.outputs)
        if (!y.body()->creator || !call_.nodes.made(*y.body()->creator)) return false;
    call_.walk.run(call_.nodes, call_.values, graph);
    graph.key.settings(config_key(), &current_device(), request.into_leaves);
    graph.key.walk(request.outputs.size(), request.targets.size());
    for (const Variable& start : request.starts)
        if (!add_to_key(start)) return false;
    for (const Edge& edge : graph.border) {
        if (!edge.leaf || (request.into_leaves && edge.leaf->grad_consumed)) return false;
        if (request.into_leaves && !add_to_key(Variable(edge.leaf->grad))) return false;
    }
    for (const Edge& edge : request.targets) {
        if (edge.node && !call_.nodes.made(*edge.node)) return false;
        if (edge.node)
            graph.key.target(edge.node->number, edge.index);
        else
            graph.key.leaf_target(edge.leaf ? call_.walk.number_of(*edge.leaf) : -1);
    }
    return true;
}

/// Whether the gradients of the graph's nodes would read what they read then.
bool Walks::reads_the_same(const KnownWalk& known) const {
    if (!(known.key == call_.graph.key)) return false;
    const auto is_value = [&](const Array& array, int v) {
        return array.defined() && v >= 0 ? call_.values.is(*array.body(), v)
                                         : !array.defined() && v < 0;
    };
    for (size_t n = 0; n < known.nodes.size(); ++n) {
        const Node& node = *call_.graph.nodes[n];
        const KnownWalk::Facts& facts = known.nodes[n];
        size_t k = 0;
        for (const Array& array : node.kept_inputs)
            if (!is_value(array, facts.kept[k++])) return false;
        for (const Array& array : node.kept_outputs)
            if (!is_value(array, facts.kept[k++])) return false;
        for (size_t s = 0; s < node.scalars.size(); ++s)
            if (std::bit_cast<uint64_t>(node.scalars[s].present()) != facts.numbers[s])
                return false;
        if (!(node.attributes == facts.attributes)) return false;
    }
    return known.steps.read_the_same_cells(call_.numbers.values());
}

bool Walks::repeat(const WalkRequest& request, Variables& results) {
    drop();
    Place& at = call_.cursor.place();
    if (call_.rules.is_replayed || call_.cursor.cuts() > 0 || call_.memory.has_pointers() ||
        at.attempts(Outgrowth::Kind::walk) >= most_walk_attempts || !call_.memory.is_unchanged())
        return false;
    const ClearedGraph at_end{call_.graph};
    if (!describe(request)) {
        at.add_attempt(Outgrowth::Kind::walk);
        return false;
    }
    KnownWalk* known =
        at.find<KnownWalk>([&](const KnownWalk& walk) { return reads_the_same(walk); });
    if (known && known->state == KnownState::refuted) return false;
    if (known && known->state == KnownState::confirmed && !call_.cursor.is_leaving() &&
        !known_steps_are_checked()) {
        do_again(*known, request, results);
        return true;
    }
    if (!known) at.add_attempt(Outgrowth::Kind::walk);
    record(request, at, known);
    return false;
}

void Walks::do_again(const KnownWalk& known, const WalkRequest& request, Variables& results) {
    call_.take_again(known.steps);
    call_.values.lay_out(known.steps.views);
    variables_.assign(request.starts.begin(), request.starts.end());
    for (const KnownWalk::Given& given : known.given) {
        Variable gradient;
        if (given.same_as >= 0)
            gradient = variables_[size_t(given.same_as)];
        else if (given.value >= 0)
            gradient = Variable(call_.values.array(given.value), false);
        variables_.push_back(gradient);
        if (given.leaf < 0) {
            results.push_back(std::move(gradient));
            continue;
        }
        call_.cursor.pretend(given.steps);
        Variable(call_.graph.border[size_t(given.leaf)].leaf)
            .set_grad_variable(std::move(gradient));
    }
    call_.cursor.pretend_no_more();
    variables_.clear();
    for (int n : known.visited) call_.nodes[n].walked = true;
}

//---- remembering

/// False: a node's gradient is no function of the graph.
bool Walks::write_down_nodes(KnownWalk& walk) const {
    for (const Node* node : call_.graph.nodes) {
        if (!is_function_of_the_graph(*node)) return false;
        KnownWalk::Facts& facts = walk.nodes.emplace_back();
        facts.attributes = node->attributes;
        for (const Scalar& scalar : node->scalars)
            facts.numbers.push_back(std::bit_cast<uint64_t>(scalar.present()));
        for (std::span<const Array> kept : {std::span<const Array>(node->kept_inputs),
                                            std::span<const Array>(node->kept_outputs)})
            for (const Array& array : kept) {
                facts.kept.push_back(array.defined() ? call_.values.number_of(array) : -1);
                if (array.defined() && facts.kept.back() < 0) return false;
            }
    }
    return true;
}

void Walks::record(const WalkRequest& request, Place& at, KnownWalk* expected) {
    Recording made{.attempt = {&at, expected, call_.now()}, .into_leaves = request.into_leaves};
    if (!write_down_nodes(*made.made)) return;
    made.made->key = call_.graph.key;
    for (const Edge& edge : call_.graph.border) made.leaves.push_back(edge.leaf.get());
    made.variables.assign(request.starts.begin(), request.starts.end());
    recording_.emplace(std::move(made));
}

void Walks::visits(const Node& node) {
    if (!recording_) return;
    if (!call_.nodes.made(node)) recording_->is_repeatable = false;
    recording_->made->visited.push_back(node.number);
}

/// `leaf`: its index, -1 for a gradient that is returned.
void Walks::remember(const Variable& gradient, int leaf) {
    Recording& r = *recording_;
    KnownWalk::Given given{.leaf = leaf, .steps = call_.cursor.steps()};
    if (gradient.defined()) {
        given.value = call_.values.number_of(gradient.array());
        const auto known = std::ranges::find(r.variables, gradient.body(), &Variable::body);
        if (known != r.variables.end())
            given.same_as = int(known - r.variables.begin());
        else if (given.value < 0 || !is_plain(*gradient.body()) ||
                 !(call_.values.array(given.value) == gradient.array()))
            r.is_repeatable = false;
    }
    r.variables.push_back(gradient);
    r.made->given.push_back(given);
}

void Walks::stored(const VariableBody& leaf) {
    if (!recording_ || !recording_->into_leaves) return;
    const auto place = std::ranges::find(recording_->leaves, &leaf);
    if (place == recording_->leaves.end())
        recording_->is_repeatable = false;
    else
        remember(Variable(leaf.grad), int(place - recording_->leaves.begin()));
}

/// The steps since the walk began, if it has done nothing but these and what was reported.
bool Walks::complete(Recording& r) const {
    const auto is_stored = [](const KnownWalk::Given& given) { return given.leaf >= 0; };
    const FollowedCall::Moment& since = r.attempt.since;
    if (!r.is_repeatable ||
        !call_.did_only_steps(since, size_t(std::ranges::count_if(r.made->given, is_stored))))
        return false;
    for (const Step* step = call_.cursor.step(); step != since.step; step = step->previous)
        if (!step || !step->inputs().empty()) return false;
    r.made->steps = call_.steps_since(since);
    return true;
}

void Walks::ended(std::span<const Variable> results) {
    if (!recording_) return;
    for (const Variable& gradient : results) remember(gradient, -1);
    Recording r = std::move(*recording_);
    recording_.reset();
    if (!complete(r)) r.made.reset();
    if (!r.attempt.conclude(std::move(r.made), call_.cursor.tree()))
        throw InternalError(fmt::format(
            "static_graph {}: a backward over a graph that is known did something else than before",
            call_.rules.region));
}

}  // namespace catena::capture
