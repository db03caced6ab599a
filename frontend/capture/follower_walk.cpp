// Walks of backward() and grad() inside a region's code, which a Follower does again without
// calling the gradients.
#include <algorithm>
#include <bit>
#include <mutex>

#include "frontend/capture/follower.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/config.h"
#include "runtime/graph/user_gradient.h"

namespace catena::capture {
namespace {

/// Walks at one place that were made in vain; then no more are remembered there.
constexpr int most_walk_attempts = 8;

/// `array` is value `v` (-1: undefined) of the call. `slots`: its values.
template <class Slots>
bool is_value(const Array& array, int v, const Pending* call, const Slots& slots) {
    if (!array.defined() || v < 0) return !array.defined() && v < 0;
    const ArrayBody* body = array.body();
    return body->pending == call ? body->value == v : slots[size_t(v)].array.body() == body;
}

bool is_function_of_the_graph(const Node& node) {
    // Messages are ordered by the ranks of their nodes, which depend on other messages of the
    // thread.
    return !node.region && !has_user_gradient(*node.op) && !node.attributes.has("communicator");
}

}  // namespace

/// Writes into `walk_graph_` what the walk depends on; false if it leads out of this call's graph.
bool Follower::describe(const WalkRequest& request) {
    GraphKey& key = walk_graph_.key;
    const auto add = [&](const Array* gradient) {
        const ArrayBody* body = gradient ? gradient->body() : nullptr;
        // The walk may depend on whether it is row-major (leaves' gradients are).
        if (body && (body->pending != this || shows_outside(body->value))) return false;
        key.gradient(body ? body->value : -1);
        return true;
    };
    walk_graph_.results.assign(request.outputs.begin(), request.outputs.end());
    for (const Variable& y : request.outputs)
        if (!y.body()->creator || !nodes_.made(*y.body()->creator)) return false;
    walk_.run(nodes_, this, walk_graph_);
    key.settings(config_key(), &current_device(), request.into_leaves);
    key.walk(request.outputs.size(), request.targets.size());
    for (const Variable& start : request.starts)
        if (!add(start.defined() ? &start.array() : nullptr)) return false;
    for (const Edge& edge : walk_graph_.border) {
        if (!edge.leaf || (request.into_leaves && edge.leaf->grad_consumed)) return false;
        if (!request.into_leaves) continue;
        reads_gradient(*edge.leaf);
        if (!add(edge.leaf->grad ? &edge.leaf->grad->array : nullptr)) return false;
    }
    for (const Edge& edge : request.targets) {
        if (edge.node && !nodes_.made(*edge.node)) return false;
        if (edge.node)
            key.target(edge.node->number, edge.index);
        else
            key.leaf_target(edge.leaf ? walk_.number_of(*edge.leaf) : -1);
    }
    return true;
}

/// Whether the gradients of the graph's nodes would read what they read then.
bool Follower::reads_the_same(const KnownWalk& known) const {
    if (!(known.key == walk_graph_.key)) return false;
    const auto same = [](double a, uint64_t b) { return std::bit_cast<uint64_t>(a) == b; };
    for (size_t n = 0; n < known.nodes.size(); ++n) {
        const Node& node = *walk_graph_.nodes[n];
        const KnownWalk::Facts& facts = known.nodes[n];
        size_t k = 0;
        for (const Array& array : node.kept_inputs)
            if (!is_value(array, facts.kept[k++], this, slots_)) return false;
        for (const Array& array : node.kept_outputs)
            if (!is_value(array, facts.kept[k++], this, slots_)) return false;
        for (size_t s = 0; s < node.scalars.size(); ++s)
            if (!same(node.scalars[s].present(), facts.numbers[s])) return false;
        if (!(node.attributes == facts.attributes)) return false;
    }
    return known.steps.read_the_same_cells(scalars_);
}

bool Follower::repeat(const WalkRequest& request, Variables& results) {
    recording_.reset();
    Place& at = place();
    if (!is_open_ || running_ || rules_.is_replayed || cuts_ > 0 || !composites_.empty() ||
        !addressed_.empty() || config().debug || debug_ || config().tf32 != tf32_ ||
        at.attempts(Outgrowth::Kind::walk) >= most_walk_attempts || !watched_.are_unchanged())
        return false;
    const ClearedGraph at_end{walk_graph_};
    if (!describe(request)) {
        at.add_attempt(Outgrowth::Kind::walk);
        return false;
    }
    KnownWalk* known =
        at.find<KnownWalk>([&](const KnownWalk& walk) { return reads_the_same(walk); });
    if (known && known->state == KnownState::refuted) return false;
    if (known && known->state == KnownState::confirmed && !leaving_ && !known_steps_are_checked()) {
        do_again(*known, request, results);
        return true;
    }
    if (!known) at.add_attempt(Outgrowth::Kind::walk);
    begin_recording(request, at, known);
    return false;
}

void Follower::do_again(const KnownWalk& known, const WalkRequest& request, Variables& results) {
    take_again(known.steps);
    lay_out(known.steps);
    walk_variables_.assign(request.starts.begin(), request.starts.end());
    for (const KnownWalk::Given& given : known.given) {
        Variable gradient;
        if (given.same_as >= 0)
            gradient = walk_variables_[size_t(given.same_as)];
        else if (given.value >= 0)
            gradient = Variable(slots_[size_t(given.value)].array, false);
        walk_variables_.push_back(gradient);
        if (given.leaf < 0) {
            results.push_back(std::move(gradient));
            continue;
        }
        steps_ = given.steps;  // For the undo log.
        Variable(walk_graph_.border[size_t(given.leaf)].leaf)
            .set_grad_variable(std::move(gradient));
    }
    if (step_) steps_ = step_->index + 1;
    walk_variables_.clear();
    for (int n : known.visited) nodes_[n].walked = true;
}

//---- remembering

void Follower::begin_recording(const WalkRequest& request, Place& at, KnownWalk* expected) {
    auto made = std::make_unique<KnownWalk>();
    for (const Node* node : walk_graph_.nodes) {
        if (!is_function_of_the_graph(*node)) return;
        KnownWalk::Facts& facts = made->nodes.emplace_back();
        facts.attributes = node->attributes;
        for (const Scalar& scalar : node->scalars)
            facts.numbers.push_back(std::bit_cast<uint64_t>(scalar.present()));
        for (std::span<const Array> kept : {std::span<const Array>(node->kept_inputs),
                                            std::span<const Array>(node->kept_outputs)})
            for (const Array& array : kept) {
                facts.kept.push_back(array.defined() ? number_of(array) : -1);
                if (array.defined() && facts.kept.back() < 0) return;
            }
    }
    made->key = walk_graph_.key;
    recording_.emplace();
    recording_->made = std::move(made);
    recording_->expected = expected;
    recording_->at = &at;
    recording_->into_leaves = request.into_leaves;
    recording_->before = step_;
    recording_->scalars = scalars_.size();
    recording_->changes = log_.size();
    recording_->nodes = nodes_.size();
    recording_->disturbances = disturbances_;
    for (const Edge& edge : walk_graph_.border) recording_->leaves.push_back(edge.leaf.get());
    recording_->variables.assign(request.starts.begin(), request.starts.end());
}

void Follower::visits(const Node& node) {
    if (!recording_) return;
    if (!nodes_.made(node)) recording_->is_repeatable = false;
    recording_->made->visited.push_back(node.number);
}

/// `leaf`: its index, -1 for a gradient that is returned.
void Follower::remember(const Variable& gradient, int leaf) {
    WalkRecording& r = *recording_;
    KnownWalk::Given given{.leaf = leaf, .steps = steps_};
    if (gradient.defined()) {
        given.value = number_of(gradient.array());
        const auto known = std::ranges::find(r.variables, gradient.body(), &Variable::body);
        if (known != r.variables.end())
            given.same_as = int(known - r.variables.begin());
        else if (given.value < 0 || !is_plain(*gradient.body()) ||
                 !(slots_[size_t(given.value)].array == gradient.array()))
            r.is_repeatable = false;
    }
    r.variables.push_back(gradient);
    r.made->given.push_back(given);
}

void Follower::stored(const VariableBody& leaf) {
    if (!recording_ || !recording_->into_leaves) return;
    const auto place = std::ranges::find(recording_->leaves, &leaf);
    if (place == recording_->leaves.end())
        recording_->is_repeatable = false;
    else
        remember(Variable(leaf.grad), int(place - recording_->leaves.begin()));
}

/// The steps since the walk began, if it has done nothing but these and what was reported.
bool Follower::complete(WalkRecording& r) const {
    const auto is_stored = [](const KnownWalk::Given& given) { return given.leaf >= 0; };
    const size_t stored = size_t(std::ranges::count_if(r.made->given, is_stored));
    if (!r.is_repeatable || disturbances_ != r.disturbances || nodes_.size() != r.nodes ||
        log_.size() - r.changes != stored)
        return false;
    for (const Step* step = step_; step != r.before; step = step->previous)
        if (!step || !step->inputs().empty()) return false;
    r.made->steps = steps_since(r.before, r.scalars);
    return true;
}

void Follower::ended(std::span<const Variable> results) {
    if (!recording_) return;
    for (const Variable& gradient : results) remember(gradient, -1);
    WalkRecording r = std::move(*recording_);
    recording_.reset();
    const bool is_complete = complete(r);
    if (!r.expected) {
        if (!is_complete) return;
        std::lock_guard lock(tree_->mutex);
        tree_->grow(*r.at, std::move(r.made));
        return;
    }
    const bool is_same = is_complete && r.expected->did_the_same(*r.made);
    r.expected->state = is_same ? KnownState::confirmed : KnownState::refuted;
    if (!is_same && known_steps_are_checked())
        throw InternalError(fmt::format(
            "static_graph {}: a backward over a graph that is known did something else than before",
            rules_.region));
}

}  // namespace catena::capture
