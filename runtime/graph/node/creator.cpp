#include "runtime/graph/node/creator.h"

#include "runtime/graph/node/node.h"

namespace catena {
namespace {

Variable living(const Node& node, int index) {
    VariableBody* const body = node.outputs[size_t(index)];
    return body ? Variable(Ref<VariableBody>(body)) : Variable();
}

CreatorInput input_of(const Node& node, size_t index) {
    const Edge& edge = node.edges[index];
    CreatorInput input{.type = node.input_types[index], .variable = {}, .array = {}, .creator = {}};
    if (edge.leaf) input.variable = Variable(edge.leaf);
    if (edge.node) {
        input.variable = living(*edge.node, edge.index);
        input.creator = Creator(edge.node);
    }
    if (index < size_t(node.kept_inputs.size())) input.array = node.kept_inputs[index];
    if (input.variable.defined()) input.array = input.variable.array();
    return input;
}

}  // namespace

Creator::Creator(Ref<Node> node) : node_(std::move(node)) {}
Creator::Creator(const Creator& other) = default;
Creator& Creator::operator=(const Creator& other) = default;
Creator::~Creator() = default;

const std::string& Creator::label() const { return node_->op->name; }
int64_t Creator::rank() const { return node_->rank; }
const SourceLoc& Creator::location() const { return node_->location; }

std::vector<CreatorInput> Creator::inputs() const {
    std::vector<CreatorInput> all;
    for (size_t i = 0; i < size_t(node_->edges.size()); ++i) all.push_back(input_of(*node_, i));
    return all;
}

std::vector<Type> Creator::output_types() const {
    return {node_->output_types.begin(), node_->output_types.end()};
}

std::vector<Variable> Creator::outputs() const {
    std::vector<Variable> all;
    for (int i = 0; i < int(node_->outputs.size()); ++i) all.push_back(living(*node_, i));
    return all;
}

std::optional<Creator> creator(const Variable& x) {
    const Edge edge = edge_of(x);
    return edge.node ? std::optional(Creator(edge.node)) : std::nullopt;
}

}  // namespace catena
