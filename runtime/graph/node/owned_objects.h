#pragma once

#include <atomic>

#include "runtime/core/memory/function_ref.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

struct Edge;

/// A visitor that an object of the graph calls for everything that it owns in turn.
class OwnedVisitor {
public:
    /// Called for each handle of a variable that the object holds.
    virtual void variable(const Variable& held) = 0;
    /// Called for each edge that the object holds, as often as it holds it.
    virtual void edge(const Edge& held) = 0;
    /// Called for an object of another language, by the address that that language uses.
    virtual void object(void* held) = 0;

protected:
    ~OwnedVisitor() = default;
};

/// Base of a RegionGradient that owns objects of other languages, or graph parts that may lead to
/// some.
class ObjectOwner {
public:
    ObjectOwner() { ++alive_; }
    virtual ~ObjectOwner() { --alive_; }
    ObjectOwner(const ObjectOwner&) = delete;
    ObjectOwner& operator=(const ObjectOwner&) = delete;
    /// False when there is no such object in the process, so that searches can be skipped.
    static bool any() { return alive_.load(std::memory_order_relaxed) > 0; }
    virtual void visit(OwnedVisitor& visitor) const = 0;

private:
    static std::atomic<int64_t> alive_;
};

/// Calls `visit` for the objects of other languages (NodeFunction::visit, ObjectOwner) that `x`
/// leads to and that live only because of it: nothing outside this walk refers to what leads to
/// them. It serves the garbage collector of another language that asks what an object with a handle
/// to `x` holds: Python's tp_traverse. Python's tp_clear drops the handle, which frees them, as the
/// graph has no cycles of its own. `handles` is how many handles the asking object has.
void visit_owned_objects(const Variable& x, FunctionRef<void(void*)> visit, uint32_t handles = 1);

}  // namespace catena
