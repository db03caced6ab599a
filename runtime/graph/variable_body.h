#pragma once

#include <memory>
#include <string>

#include "runtime/core/array/array.h"
#include "runtime/core/memory/owned.h"

namespace catena {

struct Node;
struct OpDef;

/// The object behind a Variable. Owned by its handles and, for leaves, by edges.
struct VariableBody : RefCounted {
    Array array;
    Ref<VariableBody> grad;
    Ref<Node> creator;
    int output_index = 0;
    bool requires_grad = false;
    bool is_state = false;       ///< A State: the tracer records assignments to it.
    bool grad_consumed = false;  ///< A compiled step consumed the gradient; reading it is an error.
    bool is_trained = false;     ///< An optimizer has, or had, this parameter.
    /// The operation without a gradient that ends the graph here; null: nothing that requires a
    /// gradient was lost.
    const OpDef* ended_at = nullptr;
    /// Set on a reconstruction of a leaf whose content has changed since: gradients go to that
    /// leaf.
    Ref<VariableBody> alias_of;
    Owned<std::string> name;

    VariableBody();
    ~VariableBody();
    static void* operator new(size_t bytes);
    static void operator delete(void* body);
    static void destroy(VariableBody* body);
};

}  // namespace catena
