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
    /// Null pauses recording.
    explicit RecorderScope(Recorder* recorder);
    ~RecorderScope();
    RecorderScope(const RecorderScope&) = delete;

private:
    Recorder* previous_;
};

}  // namespace catena
