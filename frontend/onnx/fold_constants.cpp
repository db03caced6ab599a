#include <algorithm>
#include <set>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/model.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"

namespace catena::onnx {
namespace {

using Node = ::onnx::NodeProto;

/// Whether the node only names constants: it may run now, and gives what it would give in each
/// call.
bool is_constant(const Model::Implementation& model, const Node& node,
                 const std::set<std::string_view>& taken) {
    const Importer* const importer = find_importer(node.domain(), node.op_type());
    const auto is_known = [&](const std::string& name) { return model.constants.contains(name); };
    const auto is_free = [&](const std::string& name) {
        return !taken.contains(name) && !is_known(name);
    };
    return importer && importer->only_names && std::ranges::all_of(node.input(), is_known) &&
           std::ranges::all_of(node.output(), is_free);
}

/// False where the node cannot run: the call that reaches it says why.
bool fold(Model::Implementation& model, const Node& node) {
    const RecorderScope aside(nullptr);
    const auto mode = no_backprop_mode();
    int64_t steps = 0;
    const PreparedNode prepared = prepare_node(node, model.constants, model.path);
    Scope scope{nullptr, std::vector<Value>(prepared.outputs.size()), &steps};
    try {
        model.run_node(prepared, scope);
    } catch (const Error&) {
        return false;
    }
    for (int i = 0; i < node.output_size(); ++i)
        if (prepared.outputs[size_t(i)] >= 0)
            model.constants.emplace(node.output(i),
                                    scope.values[size_t(prepared.outputs[size_t(i)])]);
    return true;
}

}  // namespace

void fold_constants(Model::Implementation& model) {
    auto& nodes = *model.proto->mutable_graph()->mutable_node();
    std::set<std::string_view> taken;
    for (const auto& input : model.proto->graph().input()) taken.insert(input.name());
    for (const auto& [name, array] : model.initializers) taken.insert(name);
    std::set<std::string_view> made;
    for (const Node& node : nodes)
        for (const std::string& name : node.output())
            if (!made.insert(name).second) taken.insert(name);
    int kept = 0;
    for (int i = 0; i < nodes.size(); ++i) {
        if (is_constant(model, nodes[i], taken) && fold(model, nodes[i])) continue;
        nodes.SwapElements(i, kept++);
    }
    nodes.DeleteSubrange(kept, nodes.size() - kept);
}

}  // namespace catena::onnx
