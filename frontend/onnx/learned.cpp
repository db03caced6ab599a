#include "frontend/onnx/learned.h"

#include <algorithm>
#include <string_view>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/importer.h"
#include "frontend/onnx/tensor.h"

namespace catena::onnx {
namespace {

using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;
using NameSet = std::set<std::string_view>;

/// Follows names through a graph: forwards which are computed of what the model is called with, and
/// backwards which have a role.
class RolesOfNames {
public:
    explicit RolesOfNames(const Graph& graph) {
        NameSet initial;
        for (const auto& tensor : graph.initializer()) initial.insert(tensor.name());
        for (const auto& input : graph.input())
            if (!initial.contains(input.name())) computed_.insert(input.name());
        find_computed(graph);
        find_roles(graph);
    }

    bool is_weight(std::string_view name) const { return weights_.contains(name); }
    bool is_operand(std::string_view name) const { return operands_.contains(name); }

private:
    bool is_computed(const std::string& name) const { return computed_.contains(name); }

    void find_computed(const Graph& graph) {
        for (const Node& node : graph.node()) {
            bool has_graph = false;
            for (const auto& attribute : node.attribute()) {
                if (!attribute.has_g()) continue;
                has_graph = true;
                for (const auto& input : attribute.g().input()) computed_.insert(input.name());
                find_computed(attribute.g());
            }
            const auto here = [&](const std::string& name) { return is_computed(name); };
            if (!has_graph && std::ranges::none_of(node.input(), here)) continue;
            computed_.insert(node.output().begin(), node.output().end());
        }
    }

    void find_roles(const Graph& graph) {
        for (int i = graph.node_size(); i-- > 0;) {
            const Node& node = graph.node(i);
            for (const auto& attribute : node.attribute())
                if (attribute.has_g()) find_roles(attribute.g());
            if (const Importer* importer = find_importer(node.domain(), node.op_type()))
                for (int k = 0; k < node.input_size(); ++k) give_role(*importer, node, k);
        }
    }

    void give_role(const Importer& importer, const Node& node, int input) {
        const std::string& name = node.input(input);
        Role role = importer.role(input);
        const auto here = [&](const std::string& other) { return is_computed(other); };
        // Among constants arithmetic makes one of them, such as a weight of its direction and
        // length.
        if (role == Role::operand && std::ranges::none_of(node.input(), here)) role = Role::carried;
        if (role == Role::weight) weights_.insert(name);
        if (role == Role::operand) operands_.insert(name);
        if (role != Role::carried) return;
        const auto is_in = [](const NameSet& names) {
            return [&](const std::string& output) { return names.contains(output); };
        };
        if (std::ranges::any_of(node.output(), is_in(weights_))) weights_.insert(name);
        if (std::ranges::any_of(node.output(), is_in(operands_))) operands_.insert(name);
    }

    NameSet computed_, weights_, operands_;
};

}  // namespace

std::set<std::string> learned_initializers(const Graph& graph) {
    const RolesOfNames roles(graph);
    std::set<std::string> learned;
    for (const auto& tensor : graph.initializer()) {
        const std::optional<Dtype> dtype = from_onnx(tensor.data_type());
        if (!dtype || !is_float(*dtype)) continue;
        // A number without axes in arithmetic is a constant of the formula.
        if (roles.is_weight(tensor.name()) ||
            (roles.is_operand(tensor.name()) && tensor.dims_size() > 0))
            learned.insert(tensor.name());
    }
    return learned;
}

}  // namespace catena::onnx
