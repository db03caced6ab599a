#include "frontend/capture/follow/composites.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"

namespace catena::capture {
namespace {

/// Bodies at one place that are remembered: one whose numbers are others at every call never comes
/// again.
constexpr int most_body_attempts = 2;

bool same_numbers(std::span<const Scalar> scalars, std::span<const uint64_t> bits) {
    return std::ranges::equal(scalars, bits, [](const Scalar& s, uint64_t b) {
        return std::bit_cast<uint64_t>(s.present()) == b;
    });
}

/// Whether its body is a function of what it is given, and makes no nodes of the graph.
bool may_be_repeated(const OpDef& op) {
    return op.kernel && (op.gradient || !config().enable_backprop) && !config().debug;
}

}  // namespace

void Composites::begin(const OpCall& call) {
    const FollowedCall::Moment begun = call_.now();
    open_.push_back({&call.op, &call.attributes, call.inputs, call.scalars.size(), begun,
                     attempt(call, begun)});
    for (const Scalar& s : call.scalars) call_.numbers.add(s);
}

void Composites::end(std::span<const Variable> outputs) {
    if (open_.empty()) return;  // An error has ended the call.
    const Open open = open_.back();
    open_.pop_back();
    if (outputs.empty()) return forget_last();
    const bool has_kernel = open.op && open.op->kernel;
    if (has_kernel) call_.values.own_results(outputs);
    last_scalar_ = open.begun.scalars;
    if (open.op && open.attempt.at &&
        !open.attempt.conclude(made_body(open, outputs), call_.cursor.tree()))
        throw InternalError(fmt::format(
            "static_graph {}: the body of {} did something else than before with what it was given",
            call_.rules.region, open.op->name));
    if (call_.cursor.is_leaving() && has_kernel && call_.cursor.step() != open.begun.step &&
        !call_.memory.has_pointers())
        add_to_tree(made_composite(open, outputs));
}

void Composites::cut() {
    for (Open& open : open_) open.op = nullptr;
    forget_last();
}

//---- a kernel for the steps of a body

/// The composite that has ended; null where an input is not read by the body, or an output is not
/// computed by it.
std::unique_ptr<Composite> Composites::made_composite(const Open& open,
                                                      std::span<const Variable> outputs) const {
    const Step* before = open.begun.step;
    auto composite = std::make_unique<Composite>();
    composite->op = open.op;
    composite->attributes = *open.attributes;
    composite->first_scalar = open.begun.scalars;
    composite->scalar_count = int(open.scalar_count);
    composite->steps = call_.cursor.steps() - (before ? before->index + 1 : 0);
    for (const Variable* x : open.inputs) {
        composite->operands.push_back(call_.values.number_of(x->array()));
        if (composite->operands.back() < 0) return nullptr;
    }
    for (const Variable& y : outputs) {
        const int v = call_.values.number_of(y.array());
        if (v < call_.cursor.values_after(before) || !call_.values.is_pending(*y.array().body()))
            return nullptr;
        composite->outputs.push_back(v);
    }
    return composite;
}

void Composites::add_to_tree(std::unique_ptr<Composite> made) {
    if (!made) return;
    std::lock_guard lock(call_.cursor.tree().mutex);
    auto& known = const_cast<Step*>(call_.cursor.step())->composites;
    if (!known) known = std::make_unique<std::vector<std::unique_ptr<Composite>>>();
    for (const auto& other : *known)
        if (other->steps == made->steps) return;
    known->push_back(std::move(made));
}

//---- bodies that are known

KnownBody* Composites::known_body(const OpCall& call) const {
    return call_.cursor.place().find<KnownBody>([&](const KnownBody& known) {
        return known.op == &call.op && known.settings == config_key() &&
               known.device == &current_device() && known.first_scalar == call_.numbers.count() &&
               same_numbers(call.scalars, known.numbers) && is_given(known, call.inputs) &&
               known.attributes == call.attributes &&
               known.steps.read_the_same_cells(call_.numbers.values());
    });
}

/// Whether a call has the inputs of a known body, as Values::fit() compares those of a step.
bool Composites::is_given(const KnownBody& known, std::span<const Variable* const> inputs) const {
    Values& values = call_.values;
    if (known.inputs.size() != inputs.size()) return false;
    values.inputs().begin_comparing();
    for (size_t i = 0; i < inputs.size(); ++i) {
        const ArrayBody* body = inputs[i]->array().body();
        const KnownBody::Input& expected = known.inputs[i];
        if (body->pending) {
            if (!values.is_pending(*body) || body->value != expected.value) return false;
        } else if (!expected.from_outside) {
            if (values.array(expected.value).body() != body) return false;
        } else if (expected.same_as >= 0) {
            if (inputs[size_t(expected.same_as)]->array().body() != body) return false;
        } else if (!(body->type == expected.from_outside->type) ||
                   body->storage->device != expected.from_outside->device ||
                   !values.inputs().is_new(*body, expected.value)) {
            return false;
        }
    }
    return true;
}

bool Composites::repeat(const OpCall& call, Variables& outputs) {
    if (!may_be_repeated(call.op) || call_.cursor.is_leaving() || call_.rules.is_replayed ||
        known_steps_are_checked())
        return false;
    const KnownBody* known = known_body(call);
    if (!known || known->state != KnownState::confirmed) return false;
    call_.take_again(known->steps);
    for (size_t i = 0; i < call.inputs.size(); ++i) {
        const KnownBody::Input& input = known->inputs[i];
        if (!input.from_outside || input.same_as >= 0) continue;
        call_.values.take_input(input.value, call.inputs[i]->array());
    }
    call_.values.lay_out(known->steps.views);
    last_scalar_ = known->first_scalar;
    for (int v : known->outputs) outputs.emplace_back(call_.values.array(v), false);
    call_.values.own_results(outputs);
    return true;
}

Attempt<KnownBody> Composites::attempt(const OpCall& call,
                                       const FollowedCall::Moment& begun) const {
    if (!may_be_repeated(call.op)) return {};
    KnownBody* known = known_body(call);
    Place& at = call_.cursor.place();
    const bool is_open =
        known ? known->state == KnownState::new_one ||
                    (known->state == KnownState::confirmed && known_steps_are_checked())
              : at.attempts(Outgrowth::Kind::body) < most_body_attempts;
    if (!is_open) return {};
    if (!known) at.add_attempt(Outgrowth::Kind::body);
    return {&at, known, begun};
}

/// The steps of a body; null if it did more than take steps that follow from the composite's
/// inputs.
std::unique_ptr<KnownBody> Composites::made_body(const Open& open,
                                                 std::span<const Variable> outputs) const {
    if (call_.cursor.step() == open.begun.step || !call_.did_only_steps(open.begun, 0))
        return nullptr;
    auto made = std::make_unique<KnownBody>();
    made->op = open.op;
    made->attributes = *open.attributes;
    made->settings = config_key();
    made->device = &current_device();
    made->first_scalar = open.begun.scalars;
    made->steps = call_.steps_since(open.begun);
    for (size_t k = 0; k < open.scalar_count; ++k)
        made->numbers.push_back(std::bit_cast<uint64_t>(made->steps.scalars[k]));
    if (!describe_inputs(open, *made)) return nullptr;
    for (const Variable& y : outputs) {
        const ArrayBody* body = y.array().body();
        if (!call_.values.is_pending(*body) || body->value < made->steps.first_value ||
            !is_plain(*y.body()) || !(call_.values.array(body->value) == y.array()))
            return nullptr;
        made->outputs.push_back(body->value);
    }
    return made;
}

/// False where the body reads other arrays from outside than the composite's inputs.
bool Composites::describe_inputs(const Open& open, KnownBody& body) const {
    const int first = body.steps.first_value;
    struct New {
        const Step::Input* input = nullptr;
        int given_as = -1;
    };
    std::vector<New> from_outside(body.steps.makers.size());  // By value.
    size_t unexplained = 0;
    for (const Step* step = call_.cursor.step(); step != open.begun.step; step = step->previous) {
        for (size_t i = 0; i < step->inputs().size(); ++i)
            from_outside[size_t(step->first_value - first) + i].input = &step->inputs()[i];
        unexplained += step->inputs().size();
    }
    for (const Variable* x : open.inputs) {
        KnownBody::Input input{.value = call_.values.number_of(x->array())};
        if (input.value < 0) return false;
        if (input.value >= first) {
            New& made_of = from_outside[size_t(input.value - first)];
            input.from_outside = made_of.input;
            input.same_as = made_of.given_as;
            if (!input.from_outside) return false;
            if (made_of.given_as < 0) {
                made_of.given_as = int(body.inputs.size());
                --unexplained;
            }
        }
        body.inputs.push_back(input);
    }
    return unexplained == 0;
}

}  // namespace catena::capture
