#include "frontend/onnx/prepared_graph.h"

#include <algorithm>

#include <onnx/onnx_pb.h>

namespace catena::onnx {
namespace {

using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;

/// The names that a node may read, in the order in which they are defined: a later one hides an
/// earlier one.
struct UsedNames {
    const UsedNames* outer = nullptr;
    const Constants& constants;
    std::unordered_map<std::string, int> numbers;
    int count = 0;

    int define(const std::string& name) { return numbers[name] = count++; }

    ValuePlace place_of(const std::string& name) const {
        int scopes = 0;
        for (const UsedNames* names = this; names; names = names->outer, ++scopes)
            if (const auto found = names->numbers.find(name); found != names->numbers.end())
                return {.scopes = scopes, .number = found->second};
        const auto constant = constants.find(name);
        return {.constant = constant == constants.end() ? nullptr : &constant->second};
    }
};

PreparedGraph prepare_subgraph(const Graph& graph, const UsedNames& outer);

PreparedNode prepare(const Node& node, UsedNames& names) {
    PreparedNode made;
    made.node = &node;
    made.importer = find_importer(node.domain(), node.op_type());
    made.reads_shape = node.op_type() == "Shape" || node.op_type() == "Size";
    for (const std::string& name : node.input())
        made.inputs.push_back(name.empty() ? ValuePlace() : names.place_of(name));
    for (const auto& attribute : node.attribute())
        if (attribute.has_g())
            made.graphs.push_back(
                std::make_unique<PreparedGraph>(prepare_subgraph(attribute.g(), names)));
    for (const std::string& name : node.output())
        made.outputs.push_back(name.empty() ? -1 : names.define(name));
    return made;
}

void prepare_nodes(const Graph& graph, UsedNames& names, PreparedGraph& made) {
    made.graph = &graph;
    for (const Node& node : graph.node()) made.nodes.push_back(prepare(node, names));
    for (const auto& output : graph.output()) made.outputs.push_back(names.place_of(output.name()));
    made.values = names.count;
}

PreparedGraph prepare_subgraph(const Graph& graph, const UsedNames& outer) {
    UsedNames names{.outer = &outer, .constants = outer.constants, .numbers = {}};
    PreparedGraph made;
    for (const auto& input : graph.input()) made.inputs.push_back(names.define(input.name()));
    for (const auto& tensor : graph.initializer())
        made.initializers.push_back(names.define(tensor.name()));
    prepare_nodes(graph, names, made);
    return made;
}

}  // namespace

const PreparedGraph& PreparedNode::prepared(const Graph& graph) const {
    return **std::ranges::find_if(graphs, [&](const auto& each) { return each->graph == &graph; });
}

PreparedGraph prepare_graph(const Graph& graph, const std::vector<std::string>& given,
                            const Constants& constants) {
    UsedNames names{.constants = constants, .numbers = {}};
    PreparedGraph made;
    for (const std::string& name : given) made.inputs.push_back(names.define(name));
    prepare_nodes(graph, names, made);
    return made;
}

PreparedNode prepare_node(const Node& node, const Constants& constants) {
    UsedNames names{.constants = constants, .numbers = {}};
    return prepare(node, names);
}

}  // namespace catena::onnx
