#include "runtime/graph/walk/remembering_sink.h"

#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node_hooks.h"
#include "runtime/graph/op/hooks.h"
#include "runtime/graph/walk/gradient_listener.h"

namespace catena {

void RememberingSink::leaf(const Ref<VariableBody>& leaf, Variable gradient) {
    sink_.leaf(leaf, std::move(gradient));
    memory_.stored(*leaf);
}

void RememberingSink::node(Node& node) {
    sink_.node(node);
    memory_.visits(node);
}

WalkMemory* walk_memory(bool retain_grad, bool enable_double_backprop) {
    if (gradient_listener() || retain_grad || enable_double_backprop || !function_hooks().empty() ||
        has_node_hooks())
        return nullptr;
    return dynamic_cast<WalkMemory*>(current_recorder());
}

}  // namespace catena
