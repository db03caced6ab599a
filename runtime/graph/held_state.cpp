#include "runtime/graph/held_state.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/graph/recorder.h"
#include "runtime/graph/variable_body.h"

namespace catena {
namespace {

Array own_copy(const Array& array) {
    Array copy = Array::empty(array.type(), array.device());
    copy_elements(array, copy);
    return copy;
}

/// A state that a region has given another content.
struct Awaiting {
    Ref<VariableBody> state;
    Array home;    ///< Its content before, whose memory is held; undefined: it was not.
    Array before;  ///< A copy of its elements when the first update was called.

    /// Whether somebody has written to the memory since, in code that would have seen the update.
    bool is_overtaken() const {
        const size_t bytes = size_t(home.size()) * size_of(home.dtype());
        if (bytes == 0 || !home.device().is_host()) return false;
        const Array now = own_copy(home);
        return std::memcmp(now.elements(), before.elements(), bytes) != 0;
    }
};
constinit PerThread<std::vector<Awaiting>> awaiting_states;

const Awaiting* awaiting(const VariableBody& state) {
    const std::vector<Awaiting>& all = awaiting_states.get();
    const auto found =
        std::ranges::find(all, &state, [](const Awaiting& a) { return a.state.get(); });
    return found == all.end() ? nullptr : &*found;
}

std::string description_of(const Variable& state) {
    const std::string& name = state.name();
    return name.empty() ? "a parameter without a name" : fmt::format("the parameter '{}'", name);
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
    const uint32_t own_references = state.array == home ? 2 : 1;
    Array mine = home.view(home.shape(), home.strides(), body.offset);
    if (body.use_count() > own_references) {
        body.storage = own_copy(home).storage();
        body.offset = 0;
        body.strides = contiguous_strides(body.type.shape);
        body.contiguous = true;
    }
    copy_elements(elements, mine);
    own(state, std::move(mine));
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

void update_content(const Variable& state, Array array) {
    VariableBody& body = *state.body();
    if (Recorder* recorder = current_recorder())
        recorder->changing(body, Recorder::Change::content);
    bind_state(body, std::move(array));
}

bool update_held(VariableBody& state, Array& array) {
    const Awaiting* const known = awaiting(state);
    if (known && known->home.defined() && known->home == array) return false;  // It is undone.
    if (state.array == array) return true;
    const bool writes = is_held(state.array) && fits(state.array, array);
    if (current_recorder()) {
        if (!known) {
            const RecorderScope unseen(nullptr);
            awaiting_states.get().push_back({Ref<VariableBody>(&state),
                                             writes ? state.array : Array(),
                                             writes ? own_copy(state.array) : Array()});
        }
        return false;
    }
    if (!writes) {
        array = not_held(array);
        return false;
    }
    if (is_same_memory(state.array, array)) return true;
    write_home(state, state.array,
               array.storage() == state.array.storage() ? own_copy(array) : array);
    return true;
}

void forget_held(VariableBody& state) {
    std::vector<Awaiting>& all = awaiting_states.get();
    if (!all.empty())
        std::erase_if(all, [&](const Awaiting& a) { return a.state.get() == &state; });
}

void settle_held_states(bool has_failed) {
    if (awaiting_states.get().empty() || current_recorder()) return;
    std::vector<Awaiting> all = std::exchange(awaiting_states.get(), {});
    std::erase_if(all, [](const Awaiting& a) {
        return !a.state->array.defined() || a.home == a.state->array;  // Undone.
    });
    for (Awaiting& each :
         all)  // Contents may have been exchanged: all are read before any is written.
        if (is_held(each.state->array)) own(*each.state, own_copy(each.state->array));
    std::string overtaken;
    for (Awaiting& each : all) {
        const Array content = each.state->array;
        if (!is_held(each.home) || !fits(each.home, content)) continue;
        if (each.is_overtaken())
            overtaken = description_of(Variable(each.state));
        else
            write_home(*each.state, std::move(each.home), content);
    }
    if (!overtaken.empty() && !has_failed)
        fail<TraceError>(
            "{} was written to through a view after an update in the same call of a static region. "
            "An update reaches views at the call's end: write before it, or outside of the region. "
            "The view shows the parameter no longer",
            overtaken);
}

}  // namespace catena
