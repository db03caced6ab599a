#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {
thread_local Recorder* recorder [[gnu::tls_model("initial-exec")]] = nullptr;
}  // namespace

Recorder* current_recorder() { return recorder; }

RecorderScope::RecorderScope(Recorder* next) : previous_(recorder) {
    recorder = next;
    set_access_observer(next);
}
RecorderScope::~RecorderScope() {
    recorder = previous_;
    set_access_observer(previous_);
}

}  // namespace catena
