#include "runtime/graph/call/recorder.h"

#include "runtime/graph/call/call_changes.h"
#include "runtime/graph/call/held_state.h"
#include "runtime/graph/node/node.h"

namespace catena {
namespace {
thread_local Recorder* recorder [[gnu::tls_model("initial-exec")]] = nullptr;

void bind(VariableBody& state, Array array);
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

void assign(const Variable& state, const Variable& value) {
    const Type& have = state.type();
    const Type& given = value.type();
    if (have.dtype != given.dtype)
        fail<DtypeError>("assign: {} holds {}, the new value is {}",
                         state.name().empty() ? "the state" : state.name(), to_string(have),
                         to_string(given));
    if (have.shape != given.shape)
        fail<ShapeError>("assign: {} holds {}, the new value is {}",
                         state.name().empty() ? "the state" : state.name(), to_string(have),
                         to_string(given));
    if (recorder) recorder->assigned(state, value);
    bind_state(*state.body(), value.array());
}

void bind_state(VariableBody& state, Array array) {
    if (is_noting()) [[unlikely]]
        note_state(state);
    if (state.is_state && (is_held(state.array) || is_held(array))) [[unlikely]]
        if (update_held(state, array)) return;
    bind(state, std::move(array));
}

void replace_state(VariableBody& state, Array array) {
    if (is_noting()) [[unlikely]]
        note_state(state);
    bind(state, std::move(array));
}

namespace {

void bind(VariableBody& state, Array array) {
    if (ArrayBody* old = state.array.body(); old && old->owner == &state) old->owner = nullptr;
    if (array.body() && state.is_state) {
        if (array.body()->owner) {  // Each state needs its own array, to be identified by it.
            Array own = array.view(array.shape(), array.strides(), array.body()->offset);
            if (recorder) recorder->same(own, array);
            array = own;
        }
        array.body()->owner = &state;
    }
    state.array = std::move(array);
}

}  // namespace

}  // namespace catena
