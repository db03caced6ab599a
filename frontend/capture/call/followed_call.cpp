#include "frontend/capture/call/followed_call.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "frontend/capture/path/interpreter.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/op/user_function.h"

namespace catena::capture {

void FollowedCall::begin(std::span<const Variable> arguments, const Rules& with) {
    rules = with;
    cursor.begin();
    effects.begin();
    numbers.clear();
    values.begin(arguments);
}

void FollowedCall::cut(const Ending& ending) {
    cursor.cut(ending);
    values.begin_segment(cursor.segment());
    numbers.clear();
    memory.begin_segment();
}

void FollowedCall::end() {
    effects.end_call();
    nodes.clear();
    numbers.clear();
    values.end_call();
    memory.end_call();
}

std::unique_ptr<Step> FollowedCall::made_step(const OpCall& call, std::span<const Type> types,
                                              Device& device) {
    const auto& [op, inputs, attributes, scalars] = call;
    auto step = std::make_unique<Step>();
    step->call =
        cursor.tree().kept({&op, attributes, current_location(), user_function(op)}, device, types);
    step->previous = cursor.step();
    step->index = cursor.steps();
    SmallVector<int, 8> operands, slots;
    SmallVector<Ref<Cell::Body>, 8> cells;
    Step::Rare rare;
    int next = step->first_value = values.count();
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Array& array = inputs[i]->array();
        int v = values.number_of(array);
        for (size_t j = 0; j < i && v < 0; ++j)
            if (inputs[j]->array() == array) v = operands[j];
        if (v < 0) {
            v = next++;
            const VariableBody* state = array.body()->owner;
            rare.inputs.push_back({.type = array.type(),
                                   .device = &array.device(),
                                   .name = state && state->name ? *state->name : "",
                                   .is_state = state != nullptr});
        }
        operands.push_back(v);
    }
    step->first_output = next;
    step->end_value = next + int(types.size());
    step->first_scalar = step->end_scalar = numbers.count();
    for (const Scalar& scalar : scalars) {
        const int slot = numbers.slot_of(scalar, step->end_scalar);
        if (slot == step->end_scalar) ++step->end_scalar;
        slots.push_back(slot);
        cells.push_back(scalar.cell());
    }
    step->set_numbers(operands, slots);
    if (std::ranges::any_of(cells, [](const Ref<Cell::Body>& cell) { return bool(cell); }))
        rare.cells.assign(cells.begin(), cells.end());
    if (!rare.inputs.empty() || !rare.cells.empty())
        step->rare = std::make_unique<const Step::Rare>(std::move(rare));
    return step;
}

//---- several steps at once

FollowedCall::Moment FollowedCall::now() const {
    return {cursor.step(), numbers.count(), effects.log().size(), nodes.size(),
            effects.disturbances()};
}

bool FollowedCall::did_only_steps(const Moment& since, size_t changes) const {
    return effects.disturbances() == since.disturbances && nodes.size() == since.nodes &&
           effects.log().size() - since.changes == changes;
}

KnownSteps FollowedCall::steps_since(const Moment& since) const {
    KnownSteps known;
    known.last = cursor.step() == since.step ? nullptr : cursor.step();
    known.first_value = cursor.values_after(since.step);
    known.makers.resize(size_t(values.count() - known.first_value));
    for (const Step* step = cursor.step(); step != since.step; step = step->previous) {
        if (step->call->op->view) known.views.push_back(step);
        for (int v = step->first_output; v < step->end_value; ++v)
            known.makers[size_t(v - known.first_value)] = step;
        for (size_t k = 0; k < step->scalars().size(); ++k)
            if (Cell::Body* cell = step->cell(k))
                known.cells.push_back({Ref<Cell::Body>(cell), cell->value, step->scalars()[k]});
    }
    std::ranges::reverse(known.views);
    numbers.describe(since.scalars, known);
    return known;
}

void FollowedCall::take_again(const KnownSteps& known) {
    if (known.last) {
        values.take_again(*known.last, known.first_value, known.makers);
        cursor.take_up_to(*known.last);
    }
    numbers.take_again(known);
}

//---- the end of a segment

bool FollowedCall::may_give_away(int v) {
    const Array& x = values.array(v);
    const uint32_t of_storage =
        references.of_storage(*x.storage()) + memory.pointers_to(*x.storage());
    return x.body()->use_count() == references.of_input(v) &&
           x.storage()->may_be_taken(of_storage) && begins_its_storage(x);
}

void FollowedCall::interpret(const Step* last, std::span<const int> alive) {
    const int first = cursor.segment().first_value;
    std::vector<int> wanted(
        alive.begin(), alive.end());  // And intermediate contents of states, in case a step fails.
    effects.log().for_each_value([&](int v) {
        if (v >= first) wanted.push_back(v);
    });
    std::optional<Interpreter> interpreter;
    {
        std::lock_guard lock(cursor.tree().mutex);  // Guards the composites.
        interpreter.emplace(cursor.segment(), last, wanted);
    }
    std::vector<Array> computed(size_t(interpreter->value_count()));
    for (size_t i = 0; i < computed.size(); ++i) {
        const Array& array = content(first + int(i));
        if (array.defined() && !values.is_pending(*array.body())) computed[i] = array;
    }
    const auto deliver = [&] {
        for (int v : wanted)
            if (const Array& array = computed[size_t(v - first)]; array.defined())
                values.deliver(v, array);
    };
    int failing = -1;
    try {
        interpreter->run(computed, numbers.values(), failing);
    } catch (...) {
        failed_at = failing;
        deliver();
        throw;
    }
    deliver();
}

}  // namespace catena::capture
