#include <set>
#include <string_view>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/loaded_model.h"

namespace catena::onnx {
namespace {

using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;

class Checker {
public:
    Checker(const LoadedModel& model) : model_(model) {}

    void check(const Graph& graph) const { check(graph, nullptr); }

private:
    /// The names visible in a subgraph.
    struct Known {
        const Known* outer;
        std::set<std::string_view> names;
        /// An empty name stands for nothing.
        void insert(std::string_view name) {
            if (!name.empty()) names.insert(name);
        }
        bool contains(std::string_view name) const {
            return names.contains(name) || (outer && outer->contains(name));
        }
    };

    void check(const Graph& graph, const Known* outer) const {
        Known known{outer, {}};
        for (const auto& input : graph.input()) known.insert(input.name());
        for (const auto& tensor : graph.initializer()) known.insert(tensor.name());
        for (const Node& node : graph.node()) {
            check_operator(node);
            for (const std::string& name : node.input())
                if (!name.empty() && !known.contains(name))
                    fail<FileError>("onnx: {}: {} node '{}' reads '{}', which is not defined",
                                    model_.path, node.op_type(), node.name(), name);
            for (const auto& attribute : node.attribute())
                if (attribute.has_g()) check(attribute.g(), &known);
            for (const std::string& name : node.output()) known.insert(name);
        }
        for (const auto& output : graph.output())
            if (!known.contains(output.name()))
                fail<FileError>("onnx: {}: output '{}' is not defined", model_.path, output.name());
    }

    void check_operator(const Node& node) const {
        if (find_importer(node.domain(), node.op_type())) return;
        const std::string domain = node.domain().empty() ? "" : node.domain() + ".";
        const std::string name =
            node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
        fail<UnsupportedError>(
            "onnx: {}: the operator {}{} of node '{}' (opset {}) is not supported", model_.path,
            domain, node.op_type(), name, model_.opset);
    }

    const LoadedModel& model_;
};

}  // namespace

void check_outputs(const Graph& graph, const std::string& path) {
    for (const Node& node : graph.node()) {
        if (node.output_size() == 0)
            fail<FileError>("onnx: {}: {} node '{}' has no outputs; expected is one at least", path,
                            node.op_type(), node.name());
        for (const auto& attribute : node.attribute())
            if (attribute.has_g()) check_outputs(attribute.g(), path);
    }
}

void check_model(const LoadedModel& model) { Checker(model).check(model.proto->graph()); }

}  // namespace catena::onnx
