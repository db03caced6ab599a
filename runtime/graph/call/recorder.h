#pragma once

#include "runtime/graph/call/executor.h"
#include "runtime/graph/call/watcher.h"

namespace catena {

/// Takes the place of eager execution on a thread: carries out its operations, and is told of
/// everything else that its code does. One at a time; an inner scope replaces the outer recorder.
class Recorder : public Executor, public Watcher {};

/// The recorder of this thread; null where operations are carried out at once.
inline Recorder* current_recorder() {
    return static_cast<Recorder*>(access_observer());  // Only a RecorderScope sets it.
}
/// Makes a recorder the thread's own until the scope ends.
class RecorderScope {
public:
    /// Makes `recorder` the thread's own; null pauses recording.
    explicit RecorderScope(Recorder* recorder);
    ~RecorderScope();
    RecorderScope(const RecorderScope&) = delete;

private:
    Recorder* previous_;
};

}  // namespace catena
