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

}  // namespace catena
