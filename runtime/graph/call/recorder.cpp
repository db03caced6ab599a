#include "runtime/graph/call/recorder.h"

namespace catena {

RecorderScope::RecorderScope(Recorder* next) : previous_(current_recorder()) {
    set_access_observer(next);
}
RecorderScope::~RecorderScope() { set_access_observer(previous_); }

}  // namespace catena
