#pragma once

#include "runtime/graph/trace.h"

namespace catena {

/// Listens to apply() on this thread. One at a time; scopes nest by replacing.
class Recorder {
public:
    virtual ~Recorder() = default;
    /// One finished call, composites expanded to their bodies unless takes_whole() says otherwise.
    virtual void saw(const OpDef& op, std::span<const Variable* const> inputs,
                     std::span<const Variable> outputs, const Attributes& attributes,
                     std::span<const Scalar> scalars, const SourceLoc& at) = 0;
    /// `state` takes the content `value` (called before it happens, or instead of it in a shape-only run).
    virtual void assigned(const Variable& state, const Variable& value) = 0;
    /// The array or gradient of `variable` is about to change, by assign or other means.
    virtual void changing(VariableBody& variable) = 0;
    /// `copy` is another handle on the elements of `array`.
    virtual void same(const Array& copy, const Array& array) = 0;
    /// The elements of a value were asked for by the host; throws TraceError when the value is traced.
    virtual void host_read(const ArrayBody& array) = 0;
    /// True for a composite that it wants to see as one call.
    virtual bool takes_whole(const OpDef&) const { return false; }
    /// While true apply() computes types only: results live on the meta device.
    virtual bool shape_only() const = 0;
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
