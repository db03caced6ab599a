#include "runtime/graph/call/held_state.h"

#include <utility>

#include "runtime/core/array/device.h"
#include "runtime/core/array/pending.h"
#include "runtime/core/system/host_lock.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/copy_op.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena {
namespace {

constinit PerThread<bool> updates_are_undone;

Array own_copy(const Array& array) {
    Array copy = Array::empty(array.type(), array.device());
    copy_elements(array, copy);
    return copy;
}

/// Part of the region's program: the elements as they are now, of a call that skips the code as
/// they are then.
Array recorded_copy(const Array& array) {
    const auto no_graph = no_backprop_mode();
    const Variable x(array, false);
    const Variable* const inputs[] = {&x};
    return apply(copy_op(), inputs, known_location())[0].array();
}

bool is_same_memory(const Array& a, const Array& b) {
    return a.storage() == b.storage() && a.body()->offset == b.body()->offset &&
           a.strides() == b.strides();
}

bool fits(const Array& home, const Array& array) {
    return array.defined() && array.type() == home.type() && &array.device() == &home.device() &&
           !home.storage()->is_read_only;
}

void own(VariableBody& state, Array array) {
    if (ArrayBody* old = state.array.body(); old && old->owner == &state) old->owner = nullptr;
    array.body()->owner = &state;
    state.array = std::move(array);
}

/// Writes the elements to where those of `home` are. Whoever has read that array keeps the old
/// ones, but not who has made another view of its memory: that is what holding means.
void write_home(VariableBody& state, Array home, const Array& elements) {
    const RecorderScope unseen(nullptr);
    ArrayBody& body = *home.body();
    Array mine = home.view(home.shape(), home.strides(), body.offset);
    if (body.use_count() > 2) {  // `home`, and the state.
        body.storage = own_copy(home).storage();
        body.offset = 0;
        body.strides = contiguous_strides(body.type.shape);
        body.contiguous = true;
    }
    copy_elements(elements, mine);
    own(state, std::move(mine));
}

/// Whether memory is held for certain: is_held() may say yes of memory that its owner has left to
/// us where this thread lacks the host's lock.
bool is_surely_held(const Array& array) {
    if (!is_held(array)) return false;
    if (array.storage()->is_held()) return true;
    const WithHostLock to_ask;
    return others_may_write(*array.storage());
}

/// The write is this call's alone: a program has no place for it, and calls run the code.
void compute_before_write(Recorder& recorder, const Array& array) {
    recorder.passing();
    if (Pending* const pending = array.body()->pending) pending->force(*array.body());
    recorder.settle();
}

}  // namespace

Array not_held(const Array& array) { return is_held(array) ? own_copy(array) : array; }

HeldMemory hold_memory(const Variable& x) {
    const Array& array = x.array();
    const bool is_shared = array.defined() && x.body()->is_state && !is_held(array) &&
                           !array.storage()->is_foreign &&
                           (array.storage()->use_count() > 1 || array.body()->use_count() > 1);
    if (is_shared && !current_recorder()) own(*x.body(), own_copy(array));
    return HeldMemory(x.array());
}

bool update_held(VariableBody& state, Array& array) {
    if (state.array == array) return true;
    Recorder* const recorder = current_recorder();
    const bool is_recorded_only = updates_are_undone.get() || (recorder && recorder->shape_only());
    if (!is_surely_held(state.array) || !fits(state.array, array)) {
        if (is_surely_held(array))
            array = recorder && !recorder->shape_only() ? recorded_copy(array) : own_copy(array);
        return false;
    }
    if (is_recorded_only) return false;
    if (recorder && recorder->defers()) compute_before_write(*recorder, array);
    if (is_same_memory(state.array, array)) return true;
    write_home(state, state.array,
               array.storage() == state.array.storage() ? own_copy(array) : array);
    return true;
}

UpdatesUndone::UpdatesUndone() : previous_(std::exchange(updates_are_undone.get(), true)) {}
UpdatesUndone::~UpdatesUndone() { updates_are_undone.get() = previous_; }

}  // namespace catena
