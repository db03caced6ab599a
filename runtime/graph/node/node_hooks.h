#pragma once

#include "runtime/graph/op/hooks.h"

namespace catena {

struct Node;

/// Calls a hook's backward_preprocess and backward_postprocess around the gradient of the one
/// operation that made `y`, as FunctionNode.add_hook, until the scope ends. ValueError if y is a
/// leaf, which no operation made.
class NodeHookScope {
public:
    NodeHookScope(const Variable& y, FunctionHook& hook);
    ~NodeHookScope();
    NodeHookScope(const NodeHookScope&) = delete;

private:
    Ref<Node> node_;
    FunctionHook& hook_;
};

/// The hooks of a node, in order of addition; for backward.
std::span<FunctionHook* const> hooks_of(const Node& node);
/// Whether any node has a hook from a NodeHookScope of this thread.
bool has_node_hooks();

}  // namespace catena
