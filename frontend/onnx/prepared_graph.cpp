#include "frontend/onnx/prepared_graph.h"

#include <algorithm>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "runtime/core/system/fork.h"

namespace catena::onnx {
namespace {

using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;

/// The names that a node may read, in the order in which they are defined: a later one hides an
/// earlier one.
struct UsedNames {
    const UsedNames* outer = nullptr;
    const Constants& constants;
    const std::string& path;
    std::unordered_map<std::string, int> numbers = {};
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

/// One for all equal texts, for as long as the program runs: recordings keep places, and may
/// outlive the model.
const char* kept_text(std::string text) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static std::set<std::string>& texts = *new std::set<std::string>;
    const std::lock_guard lock(mutex);
    return texts.insert(std::move(text)).first->c_str();
}

/// `number`: of the node in its graph.
SourceLoc node_place(const Node& node, int number, const std::string& path) {
    const bool is_named = !node.name().empty() || node.output_size() == 0;
    SourceLoc place;
    place.file = kept_text(fmt::format("{}, {} node '{}'", path, node.op_type(),
                                       is_named ? node.name() : node.output(0)));
    place.line = uint32_t(number);
    return place;
}

PreparedGraph prepare_subgraph(const Graph& graph, const UsedNames& outer);

PreparedNode prepare(const Node& node, int number, UsedNames& names) {
    PreparedNode made;
    made.node = &node;
    made.place = node_place(node, number, names.path);
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
    for (const Node& node : graph.node())
        made.nodes.push_back(prepare(node, int(made.nodes.size()) + 1, names));
    for (const auto& output : graph.output()) made.outputs.push_back(names.place_of(output.name()));
    made.values = names.count;
}

PreparedGraph prepare_subgraph(const Graph& graph, const UsedNames& outer) {
    UsedNames names{.outer = &outer, .constants = outer.constants, .path = outer.path};
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
                            const Constants& constants, const std::string& path) {
    UsedNames names{.constants = constants, .path = path};
    PreparedGraph made;
    for (const std::string& name : given) made.inputs.push_back(names.define(name));
    prepare_nodes(graph, names, made);
    return made;
}

PreparedNode prepare_node(const Node& node, const Constants& constants, const std::string& path) {
    UsedNames names{.constants = constants, .path = path};
    return prepare(node, 1, names);
}

}  // namespace catena::onnx
