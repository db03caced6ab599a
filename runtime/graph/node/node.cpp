#include "runtime/graph/node/node.h"

#include <algorithm>
#include <utility>

#include "runtime/core/memory/object_pool.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

thread_local uint64_t next_sequence [[gnu::tls_model("initial-exec")]] = 0;

/// Nodes whose last reference is released while another one is being freed wait in a list, so that
/// a long chain is freed in a loop.
struct ReleasedNodes {
    Node* first = nullptr;
    bool are_being_freed = false;
};
thread_local ReleasedNodes released [[gnu::tls_model("initial-exec")]];

Reads what_gradient_reads(const OpDef& op, const Node& node) {
    Reads all;
    if (!op.reads) return all;
    for (size_t i = 0; i < node.edges.size(); ++i) {
        if (!node.edges[i].wanted()) continue;
        Reads one = op.reads(int(i), int(node.edges.size()));
        all.inputs |= one.inputs;
        all.outputs |= one.outputs;
    }
    return all;
}

void add_edge(Node& node, const Variable& input) {
    node.edges.push_back(edge_of(input));
    node.input_types.emplace_back(input.body()->array.body()->type);
    if (const Node* creator = node.edges.back().node.get())
        node.rank = std::max(node.rank, creator->rank);
}

void add_output(Ref<Node> node, const Variable& output) {
    VariableBody* body = output.body();
    body->output_index = int(node->outputs.size());
    body->requires_grad = is_float(body->array.dtype());
    node->output_types.emplace_back(body->array.body()->type);
    node->outputs.push_back(body);
    body->creator = std::move(node);
}

/// Backward communicates in reverse order of the forward messages: otherwise two ranks with
/// different graphs would deadlock.
void follow_messages(Node& node) {
    static constinit PerThread<int64_t> last_rank;
    last_rank.get() = node.rank = std::max(node.rank, last_rank.get() + 1);
}

/// Bit 63 stands for that input or output and all after it.
bool reads(uint64_t mask, size_t i) { return mask >> std::min<size_t>(i, 63) & 1; }

template <size_t N>
void keep(SmallVector<Array, N>& kept, const Variable& variable, bool is_read) {
    if (is_read)
        kept.emplace_back(variable.body()->array);
    else
        kept.emplace_back();
}

}  // namespace

std::atomic<int64_t> RegionGradient::alive_{0};
std::atomic<int64_t> NodeFunction::alive_{0};

void* Node::operator new(size_t) { return ObjectPool<Node>::allocate(); }
void Node::operator delete(void* node) { ObjectPool<Node>::free(node); }

void Node::destroy(Node* node) {
    if (node->made_by) node->made_by->freed(node->number);
    // A list in the nodes, by a member that they do not need any more: the end of a graph must not
    // need memory.
    node->made_by = reinterpret_cast<NodeOwner*>(std::exchange(released.first, node));
    if (std::exchange(released.are_being_freed, true)) return;
    while (Node* next = released.first) {
        released.first = reinterpret_cast<Node*>(next->made_by);
        delete next;
    }
    released.are_being_freed = false;
}

VariableBody::VariableBody() = default;
VariableBody::~VariableBody() = default;
void* VariableBody::operator new(size_t) { return ObjectPool<VariableBody>::allocate(); }
void VariableBody::operator delete(void* body) { ObjectPool<VariableBody>::free(body); }

void VariableBody::destroy(VariableBody* body) {
    detach_creator(*body);
    if (ArrayBody* array = body->array.body(); array && array->owner == body)
        array->owner = nullptr;
    delete body;
}

void detach_creator(VariableBody& body) {
    if (!body.creator) return;
    VariableBody*& known = body.creator->outputs[body.output_index];
    if (known == &body) known = nullptr;
    Ref<Node> creator = std::move(body.creator);  // Freed last: it may own this body.
    body.creator = nullptr;
}

Ref<Node> make_node(const OpDef& op) {
    Ref<Node> node = make_ref<Node>();
    node->op = &op;
    node->location = known_location();
    // To ask for it costs more than most operations, and cannot be done later.
    if (node->location.line == 0 && config().debug) node->location = current_location();
    node->sequence = next_sequence++;
    return node;
}

bool is_visited_after(const Node& a, const Node& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.sequence < b.sequence;
}

Edge edge_of(const Variable& variable) {
    VariableBody* body = variable.body();
    if (!body || !body->requires_grad) return {};
    if (body->alias_of) return {.leaf = body->alias_of};
    if (body->creator) return {.node = body->creator, .index = body->output_index};
    return {.leaf = variable.ref()};
}

void end_graph(const OpCall& call, std::span<Variable> outputs) {
    if (!config().enable_backprop) return;
    const bool ends = std::ranges::any_of(call.inputs, [](const Variable* input) {
        return input->requires_grad() || input->body()->ended_at;
    });
    if (!ends) return;
    for (Variable& output : outputs)
        if (is_float(output.dtype())) output.body()->ended_at = &call.op;
}

Node* attach_node(const OpCall& call, std::span<Variable> outputs) {
    const auto& [op, inputs, attributes, scalars] = call;
    if (!op.differentiable || !config().enable_backprop) return nullptr;
    bool needed = false;
    const OpDef* ended_at = nullptr;
    for (const Variable* input : inputs) {
        const VariableBody& body = *input->body();
        needed |= body.requires_grad;
        if (body.ended_at) ended_at = body.ended_at;
    }
    if (!needed) {
        if (ended_at)
            for (Variable& output : outputs) output.body()->ended_at = ended_at;
        return nullptr;
    }

    Ref<Node> node = make_node(op);
    node->ended_at = ended_at;
    node->attributes = attributes;
    node->scalars.append(scalars.begin(), scalars.end());
    for (const Variable* input : inputs) add_edge(*node, *input);
    node->rank += 1;
    if (attributes.has("communicator")) follow_messages(*node);
    Reads kept = what_gradient_reads(op, *node);
    for (size_t i = 0; i < inputs.size(); ++i)
        keep(node->kept_inputs, *inputs[i], reads(kept.inputs, i));
    for (size_t i = 0; i < outputs.size(); ++i)
        keep(node->kept_outputs, outputs[i], reads(kept.outputs, i));
    Node* made = outputs.empty() ? nullptr : node.get();
    // The last one takes this reference: counting up and down costs as much as the rest of the
    // function.
    for (size_t i = 0; i < outputs.size(); ++i)
        add_output(i + 1 < outputs.size() ? node : std::move(node), outputs[i]);
    return made;
}

void attach_region(const OpDef& op, std::span<const Edge> edges, std::span<const Type> types,
                   std::span<const Variable> outputs, std::unique_ptr<RegionGradient> region) {
    Ref<Node> node = make_node(op);
    for (size_t i = 0; i < edges.size(); ++i) {
        node->edges.push_back(edges[i]);
        node->input_types.push_back(types[i]);
        if (const Node* creator = edges[i].node.get())
            node->rank = std::max(node->rank, creator->rank);
    }
    node->rank += 1;
    follow_messages(*node);  // It may send messages.
    for (const Variable& output : outputs) {
        detach_creator(*output.body());
        add_output(node, output);
    }
    node->region = std::move(region);
}

Variable reconstruct(const Array& array, const Edge& edge) {
    if (edge.leaf && edge.leaf->array == array) return Variable(edge.leaf);
    Variable x(array, edge.wanted());
    x.body()->alias_of = edge.leaf;
    x.body()->creator = edge.node;
    x.body()->output_index = edge.index;
    return x;
}

}  // namespace catena
