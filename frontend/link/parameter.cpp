#include "frontend/link/parameter.h"

#include <utility>

#include "frontend/serializer/serializer.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/graph/call/code_changes.h"
#include "runtime/graph/call/held_state.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena {
namespace {

Ref<VariableBody> state_body(bool requires_grad) try {
    Ref<VariableBody> body = make_ref<VariableBody>();
    body->requires_grad = requires_grad;
    body->is_state = true;
    return body;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a state");
}

std::shared_ptr<bool> new_flag(bool enabled) try {
    return std::make_shared<bool>(enabled);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a parameter");
}

}  // namespace

State::State() : State(false) {}
State::State(bool requires_grad)
    : Variable(state_body(requires_grad)), Part(requires_grad ? Kind::parameter : Kind::state) {}
State::State(Array array) : State(false) { replace_state(*body(), std::move(array)); }

State::State(const State& other)
    : Variable(state_body(other.requires_grad())), Part(other), device_(other.device_) {
    if (other.defined()) bind_state(*body(), other.array());
    if (!other.name().empty()) set_name(other.name());
}

State::State(State&& other) noexcept
    : Variable(other), Part(other), device_(other.device_), is_share_(other.is_share_) {
    other.become_empty();
}

void State::become_empty() noexcept {
    const Variable before = *this;
    static_cast<Variable&>(*this) = Variable();
    try {
        static_cast<Variable&>(*this) = Variable(state_body(before.requires_grad()));
        if (!before.name().empty()) set_name(before.name());
    } catch (const std::exception&) {  // An undefined Variable, until something is moved to it.
    }
    is_share_ = false;
    was_moved_from_ = true;
    Part::note_change();
    note_code_change();
}

void State::share(const State& other) {
    static_cast<Variable&>(*this) = other;
    device_ = other.device_;
    is_share_ = true;
    Part::note_change();
    note_code_change();
}

State::~State() = default;

State& State::operator=(const State& other) {
    if (this == &other) return *this;
    update_content(*this, other.array());
    device_ = other.device_;
    if (name().empty() && !other.name().empty()) set_name(other.name());
    return *this;
}

State& State::operator=(State&& other) {
    if (this == &other) return *this;
    if (other.is_share_)
        share(other);
    else if (is_left())
        take_identity(other);
    else
        *this = std::as_const(other);
    return *this;
}

void State::take_identity(State& other) {
    const std::string own = name();
    static_cast<Variable&>(*this) = other;
    device_ = other.device_;
    was_moved_from_ = false;
    other.become_empty();
    if (!own.empty()) set_name(own);
}

State& State::operator=(const Operand& content) {
    const LocationScope scope(content.location());
    const Variable& value = content;
    if (!is_initialized()) bind_state(*body(), Array::zeros(value.type()));
    assign(*this, value);
    return *this;
}

Device& State::home() const {
    if (is_initialized()) return device();
    return device_ ? *device_ : current_device();
}

void State::to_device(Device& device) {
    device_ = &device;
    if (is_initialized()) set_array(array().to(device));
}

Parameter::Parameter() : Parameter(Initializer()) {}
Parameter::Parameter(Initializer initializer)
    : Parameter(ForShape{}, std::move(initializer), std::nullopt, "") {}
Parameter::Parameter(Initializer initializer, const Shape& shape, std::string name)
    : Parameter(ForShape{}, std::move(initializer), shape, std::move(name)) {}

Parameter::Parameter(ForShape, Initializer initializer, const std::optional<Shape>& shape,
                     std::string name)
    : State(true), initializer_(std::move(initializer)), update_enabled_(new_flag(true)) {
    if (!name.empty()) set_name(std::move(name));
    if (shape) initialize(*shape);
}

Parameter::Parameter(Array array, std::string name)
    : State(true), initializer_(initializers::Constant(array)), update_enabled_(new_flag(true)) {
    if (!name.empty()) set_name(std::move(name));
    body()->requires_grad = is_float(array.dtype());
    set_array(std::move(array));
}

Parameter::Parameter(const Parameter& other)
    : State(other),
      initializer_(other.initializer_),
      update_enabled_(new_flag(other.update_enabled())) {}

Parameter::Parameter(Parameter&& other) noexcept
    : State(std::move(other)),
      initializer_(std::move(other.initializer_)),
      update_enabled_(std::move(other.update_enabled_)) {
    other.begin_anew(initializer_);
}

/// What was moved from can be used again, as far as there is memory for it.
void Parameter::begin_anew(const Initializer& initializer) noexcept {
    update_enabled_ = nullptr;
    try {
        update_enabled_ = new_flag(true);
        initializer_ = initializer;
    } catch (const OutOfMemory&) {
    }
}

Parameter::~Parameter() = default;

Parameter& Parameter::operator=(Parameter&& other) {
    if (this == &other) return *this;
    if (!other.is_share() && !is_left()) return *this = std::as_const(other);
    initializer_ = other.initializer_;
    if (other.is_share()) {
        share(other);
    } else {
        take_identity(other);
        update_enabled_ = std::move(other.update_enabled_);
        other.begin_anew(initializer_);
    }
    return *this;
}

void Parameter::share(const Parameter& other) {
    State::share(other);
    update_enabled_ = other.update_enabled_;
}

Parameter& Parameter::operator=(const Parameter& other) {
    if (this == &other) return *this;
    State::operator=(other);
    body()->requires_grad = other.requires_grad();
    initializer_ = other.initializer_;
    set_update_enabled(other.update_enabled());
    return *this;
}

void Parameter::set_update_enabled(bool enabled) {
    if (!update_enabled_) update_enabled_ = new_flag(true);
    if (std::exchange(*update_enabled_, enabled) != enabled) note_code_change();
}

Dtype Parameter::parameter_dtype() const {
    return is_initialized() ? dtype() : initializer_.dtype().value_or(config().dtype);
}

Array Parameter::generate(const Shape& shape) const {
    // Not recorded: a replay must never initialise again.
    RecorderScope paused(nullptr);
    auto no_graph = no_backprop_mode();
    Device& target = home();
    DeviceScope scope(cpu_device());
    return initializer_({parameter_dtype(), shape}).to(target);
}

void Parameter::initialize(const Shape& shape) try {
    if (is_initialized()) {
        if (this->shape() == shape) return;
        fail<ShapeError>("parameter {}: already has shape {}, cannot be initialised with {}",
                         name().empty() ? "(unnamed)" : name(), to_string(this->shape()),
                         to_string(shape));
    }
    bind_state(*body(), generate(shape));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a parameter", name());
}

void Parameter::reinitialize() try {
    if (is_initialized()) set_array(generate(shape()));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a parameter", name());
}

void Parameter::to_device(Device& device) {
    if (is_initialized() && body()->grad_consumed)
        return State::to_device(device);  // By a compiled step, so there is none to move.
    Array gradient = is_initialized() ? grad() : Array();
    cleargrad();
    State::to_device(device);
    if (gradient.defined()) set_grad(gradient.to(device));
}

// Beside the State, so that the serializer knows nothing of links.
void Serializer::operator()(std::string_view key, State& state, Dtype dtype) const {
    if (!loading()) return write(key, state.array());
    Array array = read(key);
    if (!array.defined()) return;
    if (state.is_initialized() && array.shape() != state.shape())
        wrong(key, fmt::format("has shape {}, {} is expected", to_string(array.shape()),
                               to_string(state.shape())));
    Array content = converted(key, array, dtype).to(state.home());
    later([&state, content] { update_content(state, content); });
}

}  // namespace catena
