#include "runtime/graph/trace/tracer.h"

#include <algorithm>

#include "runtime/core/array/device.h"
#include "runtime/graph/op/user_function.h"

namespace catena {

Tracer::~Tracer() { restore(); }

Tracer::Tracer(Trace begun, std::span<const std::pair<Array, int>> known)
    : shape_only_(true), trace_(std::move(begun)) {
    for (const auto& [array, value] : known) {
        known_[array.body()] = value;
        alive_.push_back(array);
    }
    for (int v : trace_.inputs)
        if (const Trace::Value& value = trace_.values[size_t(v)];
            value.role == Trace::Role::state && value.state)
            states_[value.state.get()] = v;
}

int Tracer::add_value(const Array& array, Trace::Value value) {
    int id = int(trace_.values.size());
    value.type = array.type();
    trace_.values.push_back(std::move(value));
    known_[array.body()] = id;
    alive_.push_back(array);
    return id;
}

int Tracer::add_input(const Array& array, Trace::Value value) {
    int id = add_value(array, std::move(value));
    trace_.inputs.push_back(id);
    return id;
}

int Tracer::add_argument(const Array& array, std::string name) {
    if (auto found = known_.find(array.body()); found != known_.end()) return found->second;
    return add_input(array, {.role = Trace::Role::argument, .name = std::move(name)});
}

int Tracer::state_value(VariableBody& state, const Array& content) {
    auto found = states_.find(&state);
    if (found != states_.end()) return found->second;
    int id = add_input(content, {.role = Trace::Role::state,
                                 .name = state.name ? *state.name : "",
                                 .state = Ref<VariableBody>(&state)});
    states_[&state] = id;
    return id;
}

int Tracer::value_of(const Array& array) {
    if (auto found = known_.find(array.body()); found != known_.end()) return found->second;
    if (VariableBody* owner = array.body()->owner) return state_value(*owner, array);
    return add_input(array, {.role = Trace::Role::captured, .captured = array});
}

int Tracer::scalar_slot(const Scalar& scalar) {
    const Cell::Body* cell = scalar.cell().get();
    if (cell)
        if (auto found = cell_slots_.find(cell); found != cell_slots_.end()) return found->second;
    int slot = int(trace_.scalars.size());
    trace_.scalars.push_back({scalar.present(), scalar.cell()});
    if (cell) cell_slots_[cell] = slot;
    return slot;
}

void Tracer::saw(const OpCall& call, std::span<const Variable> outputs) {
    Trace::Step step;
    step.op = &call.op;
    step.attributes = call.attributes;
    step.location = current_location();
    step.function = user_function(call.op);
    for (const Variable* x : call.inputs) {
        bool trained_leaf = x->requires_grad() && !x->body()->creator && !x->body()->alias_of;
        bool owned = x->array().body()->owner;  // Then it is that state's content, even if shared.
        if (trained_leaf && !owned && !known_.contains(x->array().body()))
            state_value(*x->body(), x->array());
        step.inputs.push_back(value_of(x->array()));
    }
    for (const Variable& y : outputs) {
        step.outputs.push_back(add_value(y.array(), {}));
        if (!shape_only_) held_.push_back(int(alive_.size()) - 1);
    }
    for (const Scalar& s : call.scalars) step.scalars.push_back(scalar_slot(s));
    trace_.steps.push_back(std::move(step));
    if (!shape_only_) release_unused();
}

/// Frees the elements of arrays that only the tracer references; the handle stays, and with it the
/// address. Checks the latest arrays, most of which are short-lived, and some of the others in
/// turn.
void Tracer::release_unused() {
    constexpr size_t latest = 128, in_turn = 32;
    auto release = [&](size_t i) {
        ArrayBody* body = alive_[size_t(held_[i])].body();
        if (body->use_count() > 1) return false;
        body->storage = Ref<Storage>();
        held_[i] = held_.back();
        held_.pop_back();
        return true;
    };
    for (size_t i = held_.size(), end = i - std::min(i, latest); i-- > end;) release(i);
    for (size_t n = 0; n < in_turn && !held_.empty(); ++n) {
        if (next_held_ >= held_.size()) next_held_ = 0;
        if (!release(next_held_)) ++next_held_;
    }
}

void Tracer::assigned(const Variable& state, const Variable& value) {
    VariableBody& body = *state.body();
    changing(body, Change::content);
    int target = body.is_state ? state_value(body, saved_[saved_index_.at(&body)].array) : -1;
    int id = value_of(value.array());
    if (target < 0) return;
    for (Trace::Assign& a : trace_.assigns)
        if (a.target == target) {
            a.value = id;
            return;
        }
    trace_.assigns.push_back({target, id});
}

void Tracer::changing(VariableBody& variable, Change) {
    if (!saved_index_.contains(&variable)) {
        saved_index_[&variable] = saved_.size();
        saved_.push_back(
            {Ref<VariableBody>(&variable), variable.array, variable.grad, variable.grad_consumed});
    }
    // An existing gradient that is accumulated into: a separate role, since its array differs at
    // every call.
    if (!variable.grad || variable.grad_consumed || variable.creator) return;
    auto found = known_.find(variable.grad->array.body());
    if (found == known_.end()) return;
    Trace::Value& value = trace_.values[found->second];
    if (value.role != Trace::Role::captured) return;
    value.role = Trace::Role::gradient;
    value.captured = Array();
    value.state = Ref<VariableBody>(&variable);
}

void Tracer::same(const Array& copy, const Array& array) {
    int id = value_of(array);
    known_[copy.body()] = id;
    alive_.push_back(copy);
}

void Tracer::host_read(ArrayBody& array) {
    auto found = known_.find(&array);
    bool traced =
        found != known_.end() && (trace_.values[found->second].role == Trace::Role::computed ||
                                  trace_.values[found->second].role == Trace::Role::argument);
    if (!traced && !(array.storage && array.storage->device->is_meta())) return;
    fail<TraceError>(
        "static_graph: the host reads a value computed in the region ({}); later calls would not "
        "run this "
        "code. Return the value from the region and read it outside",
        to_string(array.type));
}

std::vector<Tracer::GradientEffect> Tracer::gradient_effects() {
    std::vector<GradientEffect> effects;
    for (const Saved& s : saved_) {
        VariableBody& body = *s.body;
        if (body.grad == s.grad) continue;
        bool from_outside = body.is_state || !body.creator;
        if (!from_outside || (!body.is_state && !known_.contains(s.array.body()))) continue;
        effects.push_back({&body, body.grad ? value_of(body.grad->array) : -1});
    }
    return effects;
}

void Tracer::restore() {
    if (!shape_only_ || restored_) return;
    restored_ = true;
    for (const Saved& s : saved_) {
        replace_state(*s.body, s.array);  // Where it was: nothing is written.
        s.body->grad = s.grad;
        s.body->grad_consumed = s.grad_consumed;
    }
}

Trace slice_trace(const Trace& trace, int first, int last, const std::vector<int>& inputs,
                  const std::vector<int>& outputs, const std::vector<Trace::Assign>& assigns) {
    Trace part;
    std::vector<int> renamed(trace.values.size(), -1);
    auto rename = [&](int old) {
        if (renamed[old] < 0) {
            renamed[old] = int(part.values.size());
            part.values.push_back(trace.values[old]);
        }
        return renamed[old];
    };
    for (int i : inputs) part.inputs.push_back(rename(i));
    for (int s = first; s < last; ++s) {
        Trace::Step step = trace.steps[s];
        for (int& i : step.inputs) i = rename(i);
        for (int& o : step.outputs) o = rename(o);
        part.steps.push_back(std::move(step));
    }
    part.scalars = trace.scalars;
    for (int o : outputs) part.outputs.push_back(rename(o));
    for (const Trace::Assign& a : assigns)
        part.assigns.push_back({rename(a.target), rename(a.value)});
    return part;
}

}  // namespace catena
