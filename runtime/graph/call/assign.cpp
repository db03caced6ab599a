#include "runtime/graph/call/assign.h"

#include "runtime/graph/call/call_changes.h"
#include "runtime/graph/call/held_state.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node.h"

namespace catena {
namespace {

class HeldState final : public Held {
public:
    explicit HeldState(const Ref<VariableBody>& state)
        : state_(state), array_(not_held(state->array)) {}
    std::unique_ptr<Held> now() const override { return std::make_unique<HeldState>(state_); }
    void put_back() const override {
        const Variable state(state_);
        const bool is_alike =
            array_.defined() && state_->array.defined() && array_.type() == state_->array.type();
        if (is_alike)
            assign(state, Variable(array_, false));
        else
            state.set_array(array_);
    }
    bool is_reachable() const override { return state_->use_count() > 1; }

private:
    Ref<VariableBody> state_;
    Array array_;
};

/// Notes the content of a state before it changes. The first content that a state gets is no
/// change: the next call would see another one.
void note_state(VariableBody& state) {
    if (state.is_state && state.array.defined())
        note(&state, [&] { return std::make_unique<HeldState>(Ref<VariableBody>(&state)); });
}

void bind(VariableBody& state, Array array) {
    if (ArrayBody* old = state.array.body(); old && old->owner == &state) old->owner = nullptr;
    if (array.body() && state.is_state) {
        if (array.body()->owner) {  // Each state needs its own array, to be identified by it.
            Array own = array.view(array.shape(), array.strides(), array.body()->offset);
            if (Recorder* const recorder = current_recorder()) recorder->same(own, array);
            array = own;
        }
        array.body()->owner = &state;
    }
    state.array = std::move(array);
}

}  // namespace

void assign(const Variable& state, const Variable& value) {
    const Type& have = state.type();
    const Type& given = value.type();
    if (have.dtype != given.dtype)
        fail<DtypeError>("assign: {} holds {}, the new value is {}; dtypes should be equal",
                         state.name().empty() ? "the state" : state.name(), to_string(have),
                         to_string(given));
    if (have.shape != given.shape)
        fail<ShapeError>("assign: {} holds {}, the new value is {}; shapes should be equal",
                         state.name().empty() ? "the state" : state.name(), to_string(have),
                         to_string(given));
    if (Recorder* const recorder = current_recorder()) recorder->assigned(state, value);
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

void update_content(const Variable& state, Array array) {
    VariableBody& body = *state.body();
    if (Recorder* recorder = current_recorder())
        recorder->changing(body, Recorder::Change::content);
    bind_state(body, std::move(array));
}

void Variable::set_array(Array array) const {
    there("set_array", Caller());
    if (Recorder* recorder = current_recorder())
        recorder->changing(*body_, Recorder::Change::content);
    replace_state(*body_, std::move(array));
    if (!body_->is_state) detach_creator(*body_);
}

}  // namespace catena
