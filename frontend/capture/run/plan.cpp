#include "frontend/capture/run/plan.h"

#include <algorithm>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/graph/graph_end.h"
#include "frontend/capture/path/path_trace.h"
#include "runtime/graph/settings/config.h"

namespace catena::capture {
namespace {

Device& device_of(const Ending& ending) {
    for (const Step* step = ending.last; step; step = step->previous)
        if (!step->previous || !step->call->device->is_host()) return *step->call->device;
    return current_device();
}

int place_in(const std::vector<int>& list, int v) {
    auto found = std::find(list.begin(), list.end(), v);
    return found == list.end() ? -1 : int(found - list.begin());
}

}  // namespace

Plan::Plan(const FollowedCall& call, const Ending& ending, Trace& trace)
    : tree_(call.cursor.tree()),
      ending_(ending),
      region_(call.rules.region),
      device_(&device_of(ending)),
      fast_math_(config().fast_math) {
    for (double value : call.numbers.values()) scalars_.push_back({value, {}});
    trace = recorded();
    scalars_ = trace.scalars;
    for (int v : trace.inputs) inputs_.push_back(ending.segment->first_value + v);
    input_types_ = input_types_of_path(tree_, *ending.segment, ending.last, inputs_);
    find_wanted(trace);
    find_assigns(call, trace);
    find_outputs();
    complete(trace);
    find_kept(trace);
    for (const Trace::Step& step : trace.steps)
        sends_messages_ |= step.attributes.has("communicator");
}

Trace Plan::recorded() const {
    std::vector<double> numbers;
    for (const Trace::ScalarSlot& slot : scalars_) numbers.push_back(slot.value);
    return trace_of_path(tree_, *ending_.segment, ending_.last, region_, numbers);
}

void Plan::complete(Trace& trace) const {
    const int first = ending_.segment->first_value;
    for (size_t i = 0; i < outputs_.size() - assigns_.size(); ++i)
        trace.outputs.push_back(outputs_[i] - first);
    trace.assigns = assigns_;
    for (int v : states_) trace.values[size_t(v)].role = Trace::Role::state;
}

Trace Plan::trace() const {
    Trace trace = recorded();
    complete(trace);
    return trace;
}

/// What is referenced, and what backward reads.
void Plan::find_wanted(const Trace& recorded) {
    const int first = ending_.segment->first_value;
    wanted_ = ending_.alive;
    if (!graph()) return;
    for (int v : graph()->backward.kept)
        if (recorded.values[size_t(v)].role == Trace::Role::computed &&
            place_in(wanted_, first + v) < 0)
            wanted_.push_back(first + v);
}

/// States whose new content may overwrite the old one in place.
void Plan::find_assigns(const FollowedCall& call, const Trace& recorded) {
    const int first = ending_.segment->first_value;
    PointerTable bodies, numbers;
    for (int v : inputs_) numbers.insert(call.values.array(v).body(), v);
    call.effects.log().for_each_first_content(
        bodies, [&](const Ref<VariableBody>& body, const Array& before, int) {
            const ArrayBody* now = body->array.body();
            if (!body->is_state || !before.defined() || !now || !call.values.is_pending(*now))
                return;
            const int* target = numbers.find(before.body());
            if (!target) return;
            auto taken = [&](const Trace::Assign& a) {
                return a.target == *target - first || a.value == now->value - first;
            };
            if (std::any_of(assigns_.begin(), assigns_.end(), taken)) return;
            if (recorded.values[size_t(*target - first)].role == Trace::Role::argument ||
                !(before.type() == body->array.type()))
                return;
            states_.push_back(*target - first);
            assigns_.push_back({*target - first, now->value - first});
        });
    std::erase_if(assigns_,
                  [&](const Trace::Assign& a) { return place_in(wanted_, first + a.value) < 0; });
}

/// What is assigned comes last.
void Plan::find_outputs() {
    std::vector<int> assigned;
    for (const Trace::Assign& a : assigns_)
        assigned.push_back(ending_.segment->first_value + a.value);
    for (int v : wanted_)
        if (place_in(assigned, v) < 0) outputs_.push_back(v);
    outputs_.insert(outputs_.end(), assigned.begin(), assigned.end());
    for (int v : outputs_) referenced_.push_back(place_in(ending_.alive, v) >= 0);
}

void Plan::find_kept(const Trace& recorded) {
    if (!graph()) return;
    for (int v : graph()->backward.kept) {
        const int output = place_in(outputs_, ending_.segment->first_value + v);
        kept_.push_back(output >= 0 ? output : -1 - place_in(recorded.inputs, v));
    }
}

}  // namespace catena::capture
