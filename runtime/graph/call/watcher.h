#pragma once

#include <memory>

#include "runtime/core/array/access.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

struct Node;
class HostFact;

/// Is told of what the code of a thread does to Catena's objects beside its operations.
class Watcher : public AccessObserver {
public:
    /// `state` is assigned `value` (called before, or instead in a shape-only run).
    virtual void assigned(const Variable& state, const Variable& value) = 0;
    enum class Change { content, gradient };
    /// The array or gradient of `variable` is about to change, by assign or other means.
    virtual void changing(VariableBody& variable, Change what) = 0;
    /// The gradient of `variable` is about to be read, or one to be added to it; there may be none.
    virtual void reads_gradient(VariableBody&) {}
    /// `copy` shares the elements of `array`.
    virtual void same([[maybe_unused]] const Array& copy, [[maybe_unused]] const Array& array) {}
    /// An immediate effect follows: everything recorded so far must be executed first.
    virtual void settle() {}
    /// This call has a one-time effect: it is no prototype for later calls.
    virtual void passing() {}
    /// `variable` is only read while `state` has the same array: a call that skips the code need
    /// not update it.
    virtual void stands_for([[maybe_unused]] const Variable& state,
                            [[maybe_unused]] const Variable& variable) {}
    /// The code has an effect that needs it: calls must not skip the code.
    virtual void needs_code([[maybe_unused]] const char* why) {}
    /// The code is about to ask for, or to change, what only the host knows.
    virtual void asks([[maybe_unused]] const std::shared_ptr<const HostFact>& fact) {}
    /// A backward() or grad() is about to compute the gradient of `node`.
    virtual void walks(const Node&) {}

protected:
    ~Watcher() = default;
};

}  // namespace catena
