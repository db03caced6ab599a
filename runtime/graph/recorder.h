#pragma once

#include "runtime/graph/trace.h"

namespace catena {

struct Node;

/// Listens to apply() on this thread. One at a time; scopes nest by replacing.
class Recorder {
public:
    virtual ~Recorder() = default;
    /// One finished call, composites expanded to their bodies unless takes_whole() says otherwise.
    virtual void saw(const OpDef& op, std::span<const Variable* const> inputs,
                     std::span<const Variable> outputs, const Attributes& attributes,
                     std::span<const Scalar> scalars, const SourceLoc& at) {}
    /// `state` takes the content `value` (called before it happens, or instead of it in a shape-only run).
    virtual void assigned(const Variable& state, const Variable& value) = 0;
    enum class Change { content, gradient };
    /// The array or gradient of `variable` is about to change, by assign or other means.
    virtual void changing(VariableBody& variable, Change what) = 0;
    /// `copy` is another handle on the elements of `array`.
    virtual void same(const Array& copy, const Array& array) {}
    /// The elements of a value are asked for by the host; throws TraceError when that cannot be.
    virtual void host_read(ArrayBody& array) = 0;
    /// The host takes the address of the elements, and may write to them.
    virtual void addressed(ArrayBody& array) {}
    /// Something happens for real that what was recorded so far must come before.
    virtual void settle() {}
    /// This call does what later ones will not do: it is no example for them.
    virtual void passing() {}
    /// Nobody looks at `variable` but while `state` has the same array: a call that leaves the code out may leave it behind.
    virtual void stands_for(const Variable& state, const Variable& variable) {}
    /// The code does what cannot be done without it: a call must not leave it out.
    virtual void needs_code(const char* why) {}
    /// True for a composite that it wants to see as one call.
    virtual bool takes_whole(const OpDef&) const { return false; }
    /// While true apply() computes types only: results live on the meta device.
    virtual bool shape_only() const = 0;

    /// True for a recorder that has operations computed later: apply() asks it for their results instead of a device, and
    /// saw() is not called.
    virtual bool defers() const { return false; }
    /// The results of this call, if it is the one that was expected here.
    virtual bool follow(const OpDef& op, std::span<const Variable* const> inputs, const Attributes& attributes,
                        std::span<const Scalar> scalars, Variables& outputs) {
        return false;
    }
    /// The results of a call that was not expected.
    virtual Variables extend(const OpDef& op, std::span<const Variable* const> inputs, const Attributes& attributes,
                             std::span<const Scalar> scalars, std::span<const Type> types, Device& device) {
        return {};
    }
    /// `node` was made for the results of the latest call.
    virtual void attached(Node& node, std::span<const Variable* const> inputs) {}
    /// A composite that is shown as the calls of its body begins and ends here.
    virtual void composite_begins(const OpDef& op, std::span<const Variable* const> inputs, const Attributes& attributes,
                                  std::span<const Scalar> scalars) {}
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

/// The only write there is: `state` holds `value` from now on. Arrays read from `state` before keep
/// their elements. Types must be equal (ShapeError, DtypeError).
void assign(const Variable& state, const Variable& value);

/// Makes `array` the content of `state` and `state` its owner, outside the graph and unseen by recorders.
void bind_state(VariableBody& state, Array array);

}  // namespace catena
