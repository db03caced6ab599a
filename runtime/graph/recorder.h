#pragma once

#include <memory>

#include "runtime/core/array/access.h"
#include "runtime/graph/trace.h"

namespace catena {

struct Node;
class HostFact;

/// Notified of every apply() on this thread. One at a time; an inner scope replaces the outer
/// recorder.
class Recorder : public AccessObserver {
public:
    virtual ~Recorder() = default;
    /// Called after an operation; composites appear as their bodies unless takes_whole() is true.
    virtual void saw(const OpDef& op, std::span<const Variable* const> inputs,
                     std::span<const Variable> outputs, const Attributes& attributes,
                     std::span<const Scalar> scalars, const SourceLoc& at) {}
    /// `state` is assigned `value` (called before, or instead in a shape-only run).
    virtual void assigned(const Variable& state, const Variable& value) = 0;
    enum class Change { content, gradient };
    /// The array or gradient of `variable` is about to change, by assign or other means.
    virtual void changing(VariableBody& variable, Change what) = 0;
    /// The gradient of `variable` is about to be read, or one to be added to it; there may be none.
    virtual void reads_gradient(VariableBody& variable) {}
    /// `copy` shares the elements of `array`.
    virtual void same(const Array& copy, const Array& array) {}
    /// An immediate effect follows: everything recorded so far must be executed first.
    virtual void settle() {}
    /// This call has a one-time effect: it is no prototype for later calls.
    virtual void passing() {}
    /// `variable` is only read while `state` has the same array: a call that skips the code need
    /// not update it.
    virtual void stands_for(const Variable& state, const Variable& variable) {}
    /// The code has an effect that needs it: calls must not skip the code.
    virtual void needs_code(const char* why) {}
    /// The code is about to ask for, or to change, what only the host knows.
    virtual void asks(const std::shared_ptr<const HostFact>& fact) {}
    /// True for a composite that is to be recorded as one call.
    virtual bool takes_whole(const OpDef&) const { return false; }
    /// While true apply() computes types only: results live on the meta device.
    virtual bool shape_only() const = 0;

    /// True for a recorder that defers operations: apply() gets their results from it instead of a
    /// device, and does not call saw().
    virtual bool defers() const { return false; }
    /// The results of this call, if it is the expected one; of a composite, if its body need not
    /// run.
    virtual bool follow(const OpDef& op, std::span<const Variable* const> inputs,
                        const Attributes& attributes, std::span<const Scalar> scalars,
                        Variables& outputs) {
        return false;
    }
    /// The results of an unexpected call.
    virtual Variables extend(const OpDef& op, std::span<const Variable* const> inputs,
                             const Attributes& attributes, std::span<const Scalar> scalars,
                             std::span<const Type> types, Device& device) {
        return {};
    }
    /// `node` was created for the results of the latest call.
    virtual void attached(Node& node, std::span<const Variable* const> inputs) {}
    /// A backward() or grad() is about to compute the gradient of `node`.
    virtual void walks(const Node& node) {}
    /// Begin and end of a composite that is recorded as the calls of its body.
    virtual void composite_begins(const OpDef& op, std::span<const Variable* const> inputs,
                                  const Attributes& attributes, std::span<const Scalar> scalars) {}
    virtual void composite_ends(std::span<const Variable> outputs) {}
};

Recorder* current_recorder();
class RecorderScope {
public:
    explicit RecorderScope(Recorder* recorder);  ///< Null pauses recording.
    ~RecorderScope();
    RecorderScope(const RecorderScope&) = delete;

private:
    Recorder* previous_;
};

/// The only write operation: sets the content of `state` to `value`. Arrays read from `state`
/// before keep their elements. Types must be equal (ShapeError, DtypeError).
void assign(const Variable& state, const Variable& value);

/// Updates `state` to `array`, outside the graph and not recorded: it becomes the content, and
/// `state` its owner. Where somebody outside holds the memory of the content (held_state.h), the
/// elements are written there instead.
void bind_state(VariableBody& state, Array array);
/// As bind_state(), for content that the user gives: who holds the old memory keeps it as it is.
void replace_state(VariableBody& state, Array array);

}  // namespace catena
