#pragma once

#include <atomic>

#include "runtime/core/memory/function_ref.h"
#include "runtime/graph/variable.h"

namespace catena {

struct Edge;

/// Told by an object that a graph owns what that owns itself.
class OwnedVisitor {
public:
    /// A handle that the object holds; each one is told of.
    virtual void variable(const Variable& held) = 0;
    /// What it refers to in the graph, each time that it does.
    virtual void edge(const Edge& held) = 0;
    /// An object of another language, by what that language calls it.
    virtual void object(void* held) = 0;

protected:
    ~OwnedVisitor() = default;
};

/// A RegionGradient that owns objects of other languages, or what may lead to some.
class ObjectOwner {
public:
    ObjectOwner() { ++alive_; }
    virtual ~ObjectOwner() { --alive_; }
    ObjectOwner(const ObjectOwner&) = delete;
    ObjectOwner& operator=(const ObjectOwner&) = delete;
    /// False when there is no such object, so searches can be skipped.
    static bool any() { return alive_.load(std::memory_order_relaxed) > 0; }
    virtual void visit(OwnedVisitor& visitor) const = 0;

private:
    static std::atomic<int64_t> alive_;
};

/// Calls `visit` for the objects of other languages (NodeFunction::visit, ObjectOwner) that `x`
/// leads to and that live only because of it: all references to what leads there are those of the
/// walk. For a collector of another language that asks what an object with a handle to `x` holds:
/// Python's tp_traverse. Its tp_clear drops the handle, which frees them, as the graph has no
/// cycles of its own. `handles` is how many of them the asking object has.
void visit_owned_objects(const Variable& x, FunctionRef<void(void*)> visit, uint32_t handles = 1);

}  // namespace catena
