#include "runtime/graph/node/node_hooks.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/graph/node/node.h"

namespace catena {
namespace {

// Of nodes that a scope of this thread keeps alive.
constinit PerThread<std::unordered_map<const Node*, std::vector<FunctionHook*>>> hooks_of_nodes;

}  // namespace

NodeHookScope::NodeHookScope(const Variable& y, FunctionHook& hook)
    : node_(edge_of(y).node), hook_(hook) {
    if (!node_)
        fail<ValueError>("NodeHookScope: {} was made by no operation whose gradient is recorded",
                         to_string(y.type()));
    hooks_of_nodes.get()[node_.get()].push_back(&hook);
    hook.added();
}

NodeHookScope::~NodeHookScope() {
    std::vector<FunctionHook*>& list = hooks_of_nodes.get()[node_.get()];
    list.erase(std::find(list.begin(), list.end(), &hook_));
    if (list.empty()) hooks_of_nodes.get().erase(node_.get());
    hook_.deleted();
}

std::span<FunctionHook* const> hooks_of(const Node& node) {
    const auto& all = hooks_of_nodes.get();
    if (all.empty()) return {};
    const auto found = all.find(&node);
    return found == all.end() ? std::span<FunctionHook* const>() : found->second;
}

bool has_node_hooks() { return !hooks_of_nodes.get().empty(); }

}  // namespace catena
