#include "runtime/graph/node_hooks.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/graph/node.h"

namespace catena {
namespace {

// Of nodes that a scope of this thread keeps alive.
thread_local std::unordered_map<const Node*, std::vector<FunctionHook*>> hooks;

}  // namespace

NodeHookScope::NodeHookScope(const Variable& y, FunctionHook& hook) : node_(edge_of(y).node), hook_(hook) {
    if (!node_) fail<ValueError>("NodeHookScope: {} was made by no operation whose gradient is recorded", to_string(y.type()));
    hooks[node_.get()].push_back(&hook);
    hook.added();
}

NodeHookScope::~NodeHookScope() {
    std::vector<FunctionHook*>& list = hooks[node_.get()];
    list.erase(std::find(list.begin(), list.end(), &hook_));
    if (list.empty()) hooks.erase(node_.get());
    hook_.deleted();
}

std::span<FunctionHook* const> hooks_of(const Node& node) {
    if (hooks.empty()) return {};
    const auto found = hooks.find(&node);
    return found == hooks.end() ? std::span<FunctionHook* const>() : found->second;
}

bool has_node_hooks() { return !hooks.empty(); }

}  // namespace catena
