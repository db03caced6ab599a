#pragma once

#include <memory>
#include <string>

#include "runtime/core/array.h"

namespace catena {

struct Node;

/// What a Variable points at. Lives as long as a handle or, for leaves, an edge does.
struct VariableBody : RefCounted {
    Array array;
    Ref<VariableBody> grad;
    Ref<Node> creator;
    int output_index = 0;
    bool requires_grad = false;
    bool is_state = false;        ///< Has identity for the tracer: assigned, never rebuilt.
    bool grad_consumed = false;   ///< A compiled whole step used the gradient up; reading it is an error.
    /// Set on a reconstruction of a leaf whose content changed since: gradients belong to that leaf.
    Ref<VariableBody> alias_of;
    std::unique_ptr<std::string> name;

    VariableBody();
    ~VariableBody();
    static void* operator new(size_t bytes);
    static void operator delete(void* body);
    static void destroy(VariableBody* body);
};

}  // namespace catena
