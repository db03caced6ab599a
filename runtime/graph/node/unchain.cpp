#include "runtime/graph/node/unchain.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/memory/reused_vector.h"

namespace catena {
namespace {

Variables pass_on(const GradientCall& g) {
    Variables gx(g.input_count());
    for (int i = 0; i < g.input_count(); ++i)
        if (g.has_gy(i)) gx[i] = g.gy(i);
    return gx;
}

/// The op that replaces an unchained node: edge i receives the gradient of output i.
const OpDef& op_unchained() {
    static const OpDef op{.name = "unchained",
                          .input_count = -1,
                          .output_count = -1,
                          .differentiable = true,
                          .gradient = pass_on};
    return op;
}

/// The op of a program's node whose edges lead to the nodes of single operations.
const OpDef& op_expanded() {
    static const OpDef op{.name = "expanded_region",
                          .input_count = -1,
                          .output_count = -1,
                          .differentiable = true,
                          .gradient = pass_on};
    return op;
}

/// Users of a node's outputs have edges to the node itself, so it stays and forwards to a new node
/// with its function.
void become_passage(Node& node) {
    if (node.op == &op_unchained()) return;
    Ref<Node> below = make_node(*node.op);
    node.op = &op_unchained();
    below->attributes = std::exchange(node.attributes, {});
    below->scalars = std::exchange(node.scalars, {});
    below->edges = std::exchange(node.edges, {});
    below->input_types = std::exchange(node.input_types, {});
    below->output_types = node.output_types;
    below->kept_inputs = std::exchange(node.kept_inputs, {});
    below->kept_outputs = std::exchange(node.kept_outputs, {});
    below->outputs.resize(node.outputs.size());
    below->location = node.location;
    below->region = std::move(node.region);
    below->function = std::exchange(node.function, {});
    // Of equal rank, the forwarding node is visited first.
    below->rank = node.rank;
    std::swap(below->sequence, node.sequence);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        node.edges.push_back({.node = below, .index = int(i)});
        node.input_types.push_back(node.output_types[i]);
    }
}

/// Unchains all outputs of the node and frees its kept arrays; gradients of destroyed variables are
/// dropped.
void unchain_outputs(Node& node) {
    become_passage(node);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        VariableBody* body = node.outputs[i];
        if (!body && node.edges[i].leaf) continue;  // Unchained before.
        Edge end;
        if (body) {
            detach_creator(*body);
            end = edge_of(Variable(Ref<VariableBody>(body)));
        }
        node.edges[i] = std::move(end);
    }
}

/// Unchains the outputs of a node to which nothing but they and `node` refer, so that it need not
/// become a passage: false if something else does.
bool unchain_last_users(const Ref<Node>& node) {
    uint32_t users = 1;
    for (const VariableBody* body : node->outputs) {
        if (body && body->creator != node) return false;
        users += body != nullptr;
    }
    if (node->use_count() != users) return false;
    for (size_t i = 0; i < node->outputs.size(); ++i)
        if (VariableBody* body = node->outputs[i]) detach_creator(*body);
    return true;
}

/// Makes a variable, once an output of a program's node, lead to an edge. That may have been an
/// input as it came, or need no gradient.
void lead_to(VariableBody& body, const Edge& edge) {
    body.creator = edge.node;
    body.output_index = edge.index;
    body.alias_of = edge.leaf;
    body.requires_grad = edge.wanted();
    if (edge.node) edge.node->outputs[edge.index] = &body;
}

/// Finds all nodes that a variable was computed by, those nearest to it first.
class History {
public:
    explicit History(VariableBody& body) {
        const Ref<Node> creator = body.creator;
        if (!creator) return;
        Reached* start = reach(creator, body.output_index);
        if (start && creator->outputs[body.output_index] != &body) ++start->references;
    }
    ~History() {
        for (const auto* nodes : {&waiting_, &done_})
            for (const Ref<Node>& node : *nodes)
                if (node) node->mark = false;
    }
    History(const History&) = delete;

    void unchain() {
        while (!waiting_.empty()) {
            std::pop_heap(waiting_.begin(), waiting_.end(), later);
            const Ref<Node> node = std::move(waiting_.back());
            waiting_.pop_back();
            visit(node);
        }
        for (Ref<Node>& node : done_) {
            node->mark = false;
            if (!unchain_last_users(node)) unchain_outputs(*node);
            node.reset();  // With its edges, so that only others are users of the nodes behind it.
        }
    }

private:
    /// What is known of a node that is or was a whole program's.
    struct Reached {
        /// The number of known references to the node: edges and outputs found.
        uint32_t references = 0;
        std::vector<char> outputs;
    };
    static bool later(const Ref<Node>& a, const Ref<Node>& b) { return is_visited_after(*a, *b); }

    static bool is_of_program(const Node& node) { return node.region || node.op == &op_expanded(); }

    void wait(const Ref<Node>& node) {
        waiting_.push_back(node);
        std::push_heap(waiting_.begin(), waiting_.end(), later);
    }
    /// The notes on a program's node; null for the node of a single operation.
    Reached* reach(const Ref<Node>& node, int output) {
        if (!is_of_program(*node)) {
            if (node->mark) return nullptr;
            wait(node);
            node->mark = true;
            return nullptr;
        }
        auto [found, is_new] = reached_.try_emplace(node.get());
        Reached& reached = found->second;
        if (is_new) {
            reached.outputs.resize(node->outputs.size());
            wait(node);
        }
        if (!std::exchange(reached.outputs[size_t(output)], 1))
            if (const VariableBody* body = node->outputs[output]; body && body->creator == node)
                ++reached.references;
        return &reached;
    }
    void follow(const Edge& edge) {
        if (!edge.node) return;
        if (Reached* reached = reach(edge.node, edge.index)) ++reached->references;
    }

    /// Whether each output of a program's node ends here with those reached, whoever uses it.
    static bool holds_all(const Node& node, const Reached& reached) {
        const auto ends = [&](size_t other) {
            for (size_t i = 0; i < reached.outputs.size(); ++i)
                if (reached.outputs[i] && node.region->history_holds(int(i), int(other)))
                    return true;
            return false;
        };
        for (size_t other = 0; other < node.outputs.size(); ++other)
            if (!ends(other)) return false;
        return node.region->is_expandable();
    }

    void visit(const Ref<Node>& node) {
        if (!is_of_program(*node)) {
            done_.push_back(node);
            for (const Edge& edge : node->edges) follow(edge);
            return;
        }
        const Reached reached = reached_.at(node.get());
        if (node->region &&
            (node->use_count() == 1 + reached.references || holds_all(*node, reached))) {
            for (size_t e = 0; e < node->edges.size(); ++e)
                for (size_t i = 0; i < reached.outputs.size(); ++i)
                    if (reached.outputs[i] && node->region->reaches(int(i), int(e))) {
                        follow(node->edges[e]);
                        break;
                    }
        } else if (node->region && !node->region->is_expandable()) {
            for (size_t i = 0; i < reached.outputs.size(); ++i)
                if (VariableBody* body = reached.outputs[i] ? node->outputs[i] : nullptr)
                    catena::unchain(*body);
            return;
        } else {
            // The node has other users outside.
            if (node->region) expand_region(*node);
            for (size_t i = 0; i < reached.outputs.size(); ++i)
                if (reached.outputs[i]) follow(node->edges[i]);
            return;
        }
        done_.push_back(node);
    }

    std::unordered_map<const Node*, Reached> reached_;
    ReusedVector<Ref<Node>> waiting_, done_;
};

}  // namespace

void unchain(VariableBody& body) {
    if (Node* node = body.creator.get();
        node && node->region && node->outputs.size() > 1 && node->region->is_expandable())
        expand_region(*node);
    const Ref<Node> creator = body.creator;
    if (!creator) return;
    const int index = body.output_index;
    const bool was_made_there = creator->outputs[index] == &body;
    detach_creator(body);
    if (!was_made_there || creator->use_count() == 1) return;  // It has no users.
    become_passage(*creator);
    creator->edges[index] = edge_of(Variable(Ref<VariableBody>(&body)));
}

void unchain_history(VariableBody& body) { History(body).unchain(); }

void expand_region(Node& node) {
    const Ref<Node> held(&node);
    const std::vector<Edge> edges = node.region->expand(node);
    node.region = nullptr;
    node.op = &op_expanded();
    node.edges.clear();
    node.input_types.clear();
    node.sequence =
        make_node(op_expanded())->sequence;  // Of equal rank, it is visited before the others.
    for (size_t i = 0; i < edges.size(); ++i) {
        node.edges.push_back(edges[i]);
        node.input_types.push_back(node.output_types[i]);
        if (VariableBody* body = std::exchange(node.outputs[i], nullptr)) lead_to(*body, edges[i]);
    }
}

Edge behind_expanded(Edge edge) {
    while (edge.node && edge.node->op == &op_expanded())
        edge = Edge(edge.node->edges[size_t(edge.index)]);
    return edge;
}

void expand_regions_below(std::span<const Variable> outputs) {
    if (!RegionGradient::any()) return;
    std::vector<Ref<Node>> waiting;
    std::unordered_set<const Node*> seen;
    auto reach = [&](const Edge& edge) {
        if (edge.node && seen.insert(edge.node.get()).second) waiting.push_back(edge.node);
    };
    for (const Variable& output : outputs) reach(edge_of(output));
    while (!waiting.empty()) {
        const Ref<Node> node = std::move(waiting.back());
        waiting.pop_back();
        if (node->region && node->region->is_expandable()) expand_region(*node);
        for (const Edge& edge : node->edges) reach(edge);
    }
}

void Variable::unchain() const { catena::unchain(there("unchain", Caller())); }

void Variable::unchain_backward() const try {
    unchain_history(there("unchain_backward", Caller()));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("unchain_backward");
}

}  // namespace catena
