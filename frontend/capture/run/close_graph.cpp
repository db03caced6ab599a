#include "frontend/capture/run/close_graph.h"

#include <iterator>
#include <memory>
#include <mutex>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/graph/record_graph.h"
#include "frontend/capture/graph/used_up.h"
#include "frontend/capture/planned/known_sizes.h"
#include "frontend/capture/run/activation.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/node/user_gradient.h"
#include "runtime/graph/op/user_function.h"

namespace catena::capture {
namespace {

/// The results of a call that are in its graph.
struct Results {
    Variables open;
    Variables walked;  ///< Results whose graph a backward inside the region has used.
    int nodes = 0;     ///< The number of nodes that are left.
};

Results live_results(const FollowedCall& call) {
    Results results;
    for (const MadeNode& made : call.nodes.all()) {
        if (!made.node) continue;
        ++results.nodes;
        Variables& list = made.node->walked ? results.walked : results.open;
        for (VariableBody* body : made.node->outputs)
            if (body) list.emplace_back(Ref<VariableBody>(body));
    }
    return results;
}

/// An op of the live nodes whose gradient is the user's code, or null.
const OpDef* user_gradient(const FollowedCall& call) {
    for (const MadeNode& made : call.nodes.all())
        if (made.node && has_user_gradient(*made.node->op)) return made.node->op;
    return nullptr;
}

/// Results of a backward inside through which gradients of open results flow remain part of their
/// graph, as in eager code: it keeps what their own gradients need anyway.
void keep_inner_results(FollowedCall& call, Results& results) {
    if (results.open.empty() || results.walked.empty()) return;
    const ClearedGraph at_end{call.graph};
    call.graph.results.assign(results.open.begin(), results.open.end());
    call.walk.run(call.nodes, call.values, call.graph);
    call.scratch.clear();
    for (const Node* node : call.graph.nodes) call.scratch.insert(node, 0);
    Variables others;
    for (Variable& y : results.walked)
        (call.scratch.find(y.body()->creator.get()) ? results.open : others)
            .push_back(std::move(y));
    results.walked = std::move(others);
}

void refuse_second_backward(FollowedCall& call, Variables& refused) {
    // Keeping the graph would keep every activation. Only its border is kept, for
    // unchain_backward().
    LiveGraph live;
    if (call.nodes.follow_others()) {
        live.results.assign(refused.begin(), refused.end());
        call.walk.run(call.nodes, call.values, live);
    }
    Reach reach(live, call.nodes);
    std::vector<int64_t> ranks;
    for (size_t k = 0; refused.size() > 1 && k < refused.size(); ++k)
        ranks.push_back(refused[k].body()->creator->rank);
    attach_region(region_op(), live.border, live.border_types, refused,
                  std::make_unique<UsedUp>(call.rules.region, std::move(reach), std::move(ranks)));
    refused.clear();
}

/// Records the graph of a call's results. Null when an operation has no gradient for what it was
/// given: the nodes stay as they are, and only a backward, which the user may never ask for, fails
/// there. A call that skips the code has no nodes and must fail now.
std::unique_ptr<GraphEnd> try_to_record(FollowedCall& call, const AskedMask& asked) {
    struct Inspecting {  // The arrays must stay pending.
        bool& flag;
        explicit Inspecting(bool& flag) : flag(flag) { flag = true; }
        ~Inspecting() { flag = false; }
    } inspecting(call.is_computing);
    try {
        return record_graph(call, call.graph, asked);
    } catch (const Error&) {
        if (call.rules.is_replayed) throw;
        return nullptr;
    }
}

/// The known graph that is `call.graph`, or a new one; null: see try_to_record().
GraphEnd* find_graph(FollowedCall& call) {
    Tree& tree = call.cursor.tree();
    Place& place = call.cursor.place();
    std::shared_ptr<AskedResults> latest;
    const auto find = [&] {
        return place.find<GraphEnd>([&](const GraphEnd& known) {
            if (!known.fits(call.graph, call.numbers.values())) return false;
            latest = known.latest;
            return latest->is_latest(known.asked);
        });
    };
    if (GraphEnd* known = find()) return known;
    const size_t results = call.graph.results.size();
    if (!latest)
        latest = std::make_shared<AskedResults>(
            tree.sizes ? tree.sizes->expected_results.of(results) : AskedMask(results, true));
    std::unique_ptr<GraphEnd> made = try_to_record(call, latest->latest());
    if (!made) return nullptr;
    made->latest = latest;
    std::lock_guard lock(tree.mutex);
    GraphEnd* known = find();
    return known ? known : &tree.grow(place, std::move(made));
}

ClosedGraph close(FollowedCall& call, Variables& open) {
    LiveGraph& live = call.graph;
    const ClearedGraph at_end{live};
    // Moved, not copied: what still refers to a variable is counted.
    live.results.assign(std::move_iterator(open.begin()), std::move_iterator(open.end()));
    open.clear();
    call.walk.run(call.nodes, call.values, live);
    const GraphEnd* graph = find_graph(call);
    if (!graph) return {};
    auto made = std::make_unique<Activation>(call.cursor.tree().shared_from_this(), *graph);
    const ClosedGraph closed{graph, made.get()};
    for (const MadeNode& node : call.nodes.all())
        for (size_t k = 0; node.node && k < node.node->scalars.size(); ++k)
            if (node.node->scalars[k].cell())
                made->cells.emplace_back(node.slot_of(k), node.node->scalars[k]);
    attach_region(region_op(), live.border, live.border_types, live.results, std::move(made));
    return closed;
}

}  // namespace

ClosedGraph close_graph(FollowedCall& call, Variables& left) {
    Results results = live_results(call);
    keep_inner_results(call, results);
    if (!results.walked.empty()) refuse_second_backward(call, results.walked);
    if (results.open.empty()) return {};
    // With so few nodes a compiled gradient would fuse nothing, and a user's code runs at every
    // backward.
    const OpDef* users = user_gradient(call);
    if (users)
        call.effects.need_code(
            intern(fmt::format("the gradient of {} is code of yours, which runs at every "
                               "backward through its results",
                               users->name)));
    const bool keeps_nodes = users || (results.nodes <= 2 && !call.rules.is_replayed);
    if (call.cursor.cuts() == 0 && !keeps_nodes) return close(call, results.open);
    left = std::move(results.open);
    return {};
}

void drop_graph(const FollowedCall& call) {
    const Results results = live_results(call);
    for (const Variables* list : {&results.open, &results.walked})
        for (const Variable& y : *list) detach_creator(*y.body());
}

}  // namespace catena::capture
