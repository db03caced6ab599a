#include "runtime/graph/call/call_changes.h"

#include "runtime/graph/call/held_state.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena {
namespace {

thread_local NotingScope* noting [[gnu::tls_model("initial-exec")]] = nullptr;

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

class HeldNumber final : public Held {
public:
    explicit HeldNumber(const Ref<Cell::Body>& cell) : cell_(cell), value_(cell->value) {}
    std::unique_ptr<Held> now() const override { return std::make_unique<HeldNumber>(cell_); }
    void put_back() const override { cell_->value = value_; }
    bool is_reachable() const override { return cell_->use_count() > 1; }

private:
    Ref<Cell::Body> cell_;
    double value_;
};

}  // namespace

NotingScope::NotingScope() : outer_(std::exchange(noting, this)) {}
NotingScope::~NotingScope() { noting = outer_; }

HeldList NotingScope::take(const void* except) {
    HeldList held;
    for (auto& [what, content] : notes_)
        if (what != except && content->is_reachable()) held.push_back(std::move(content));
    notes_.clear();
    return held;
}

NotingPaused::NotingPaused() : previous_(std::exchange(noting, nullptr)) {}
NotingPaused::~NotingPaused() { noting = previous_; }

bool is_noting() { return noting; }

void note(const void* what, FunctionRef<std::unique_ptr<Held>()> hold) {
    for (NotingScope* scope = noting; scope; scope = scope->outer_)
        if (scope->seen_.insert(what).second) scope->notes_.emplace_back(what, hold());
}

void note_state(VariableBody& state) {
    if (state.is_state && state.array.defined())
        note(&state, [&] { return std::make_unique<HeldState>(Ref<VariableBody>(&state)); });
}

void note_numbers(std::span<const Scalar> numbers) {
    for (const Scalar& number : numbers)
        if (const Ref<Cell::Body>& cell = number.cell())
            note(cell.get(), [&] { return std::make_unique<HeldNumber>(cell); });
}

EarlierScope::EarlierScope(const HeldList& earlier) {
    for (const auto& held : earlier)
        if (std::unique_ptr<Held> now = held->now()) present_.push_back(std::move(now));
    for (const auto& held : earlier) held->put_back();
}

EarlierScope::~EarlierScope() {
    for (const auto& held : present_) held->put_back();
}

}  // namespace catena
