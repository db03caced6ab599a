#pragma once

#include "runtime/graph/call/executor.h"
#include "runtime/graph/call/watcher.h"

namespace catena {

/// Takes the place of eager execution on a thread: carries out its operations, and is told of
/// everything else that its code does. One at a time; an inner scope replaces the outer recorder.
class Recorder : public Executor, public Watcher {};

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
