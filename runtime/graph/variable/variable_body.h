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
    bool is_state = false;  ///< True for a State: the tracer records assignments to it.
    /// True when a compiled step consumed the gradient; reading it is an error.
    bool grad_consumed = false;
    bool is_trained = false;  ///< True when an optimizer has, or had, this parameter.
    /// The operation without a gradient that ends the graph here; null: nothing that requires a
    /// gradient was lost.
    const OpDef* ended_at = nullptr;
    /// The leaf that this body reconstructs, because the content of the leaf has changed since:
    /// gradients go to that leaf.
    Ref<VariableBody> alias_of;
    Owned<std::string> name;

    VariableBody();
    ~VariableBody();
    static void* operator new(size_t bytes);
    static void operator delete(void* body);
    static void destroy(VariableBody* body);
};

}  // namespace catena
