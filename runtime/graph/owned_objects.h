#pragma once

#include "runtime/core/function_ref.h"
#include "runtime/graph/variable.h"

namespace catena {

/// Told by an object that a graph owns what that owns itself.
class OwnedVisitor {
public:
    /// A handle that the object holds; each one is told of.
    virtual void variable(const Variable& held) = 0;
    /// An object of another language, by what that language calls it.
    virtual void object(void* held) = 0;

protected:
    ~OwnedVisitor() = default;
};

/// Calls `visit` for the objects of other languages (NodeFunction::visit) that `x` leads to and
/// that live only because of it: all references to what leads there are those of the walk. For a
/// collector of another language that asks what an object with a handle to `x` holds: Python's
/// tp_traverse. Its tp_clear drops the handle, which frees them, as the graph has no cycles of its
/// own. `handles` is how many of them the asking object has.
void visit_owned_objects(const Variable& x, FunctionRef<void(void*)> visit, uint32_t handles = 1);

}  // namespace catena
