#include "frontend/capture/program.h"

#include <algorithm>
#include <chrono>

#include "codegen/compiler.h"
#include "frontend/capture/followed_call.h"
#include "frontend/capture/joint_trace.h"
#include "frontend/capture/path_trace.h"
#include "frontend/capture/trace_interpreter.h"
#include "frontend/compiler/compiler_memory.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/config.h"
#include "runtime/graph/recorder.h"
#include "runtime/program/run/joint_executable.h"

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

Program::Program(const FollowedCall& call, const Ending& ending)
    : tree_(call.cursor.tree()),
      ending_(ending),
      region_(call.rules.region),
      sizes_(tree_.sizes),
      graph_(ending.graph),
      device_(&device_of(ending)),
      fast_math_(config().fast_math) {
    for (double value : call.numbers.values()) scalars_.push_back({value, {}});
    traces_.forward = std::make_shared<Trace>(recorded());
    Trace& forward = *traces_.forward;
    scalars_ = forward.scalars;
    const int first = ending.segment->first_value;
    for (int v : forward.inputs) inputs_.push_back(first + v);
    input_types_ = input_types_of_path(tree_, *ending.segment, ending.last, inputs_);
    wanted_ = ending.alive;
    if (graph_)
        for (int v : graph_->kept)
            if (forward.values[size_t(v)].role == Trace::Role::computed &&
                place_in(wanted_, first + v) < 0)
                wanted_.push_back(first + v);
    find_assigns(call, forward);
    std::vector<int> assigned;
    for (const Trace::Assign& a : assigns_) assigned.push_back(first + a.value);
    for (int v : wanted_)
        if (place_in(assigned, v) < 0) outputs_.push_back(v);
    outputs_.insert(outputs_.end(), assigned.begin(), assigned.end());
    complete(forward);
    for (int v : outputs_) output_alive_.push_back(place_in(ending_.alive, v) >= 0);
    if (graph_)
        for (int v : graph_->kept) {
            const int output = place_in(outputs_, first + v);
            kept_outputs_.push_back(output >= 0 ? output : -1 - place_in(forward.inputs, v));
        }
    const Trace backward = graph_ ? graph_->backward.unpacked() : Trace();
    if (graph_) why_apart_ = capture::why_apart(forward, backward, *device_);
    if (graph_ && why_apart_.empty()) {
        const std::shared_ptr<const JointTrace> joint =
            join(forward, output_alive_, backward, *graph_);
        joint_outputs_ = joint->outputs;
        traces_.joint = {joint, &joint->trace};
        is_joint_ = true;
    }
    for (const Trace::Step& step : forward.steps)
        sends_messages_ |= step.attributes.has("communicator");
    trace_bytes_ = bytes_of(forward) + (traces_.joint ? bytes_of(*traces_.joint) : 0);
}

Trace Program::recorded() const {
    std::vector<double> numbers;
    for (const Trace::ScalarSlot& slot : scalars_) numbers.push_back(slot.value);
    return trace_of_path(tree_, *ending_.segment, ending_.last, region_, numbers);
}

/// Adds what is not in the path: the outputs and the assigns.
void Program::complete(Trace& trace) const {
    const int first = ending_.segment->first_value;
    for (size_t i = 0; i < outputs_.size() - assigns_.size(); ++i)
        trace.outputs.push_back(outputs_[i] - first);
    trace.assigns = assigns_;
    for (int v : states_) trace.values[size_t(v)].role = Trace::Role::state;
}

Program::Traces Program::traces() const {
    {
        std::lock_guard lock(traces_mutex_);
        if (traces_.forward) return traces_;
    }
    Traces made{std::make_shared<Trace>(recorded()), nullptr};
    complete(*made.forward);
    if (is_joint_) {
        const std::shared_ptr<const JointTrace> joint =
            join(*made.forward, output_alive_, graph_->backward.unpacked(), *graph_);
        made.joint = {joint, &joint->trace};
    }
    return made;
}

std::shared_ptr<const Trace> Program::forward() const { return traces().forward; }

void Program::drop_traces() {
    std::lock_guard lock(traces_mutex_);
    traces_ = {};
}

Program::~Program() = default;

/// States whose new content may overwrite the old one in place.
void Program::find_assigns(const FollowedCall& call, const Trace& forward) {
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
            if (forward.values[size_t(*target - first)].role == Trace::Role::argument ||
                !(before.type() == body->array.type()))
                return;
            states_.push_back(*target - first);
            assigns_.push_back({*target - first, now->value - first});
        });
    std::erase_if(assigns_,
                  [&](const Trace::Assign& a) { return place_in(wanted_, first + a.value) < 0; });
}

template <class Make>
bool Program::make_executable(Make make) {
    if (is_compiled()) return false;
    std::lock_guard lock(mutex_);
    if (is_compiled()) return false;
    const auto start = std::chrono::steady_clock::now();
    KnownSizes::Made made = make(CompileOptions{.fast_math = fast_math_, .device = device_});
    if (!made.executable) return false;
    executable_ = std::move(made.executable);
    is_resized_ = made.is_resized;
    is_from_disk_ = made.is_from_disk;
    compile_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    compiled_for(compile_seconds_);
    if (is_resized_) drop_traces();
    compiled_.store(true, std::memory_order_release);
    return true;
}

/// Forward and backward compiled together, where that is possible, else forward.
template <class Make>
KnownSizes::Made Program::make_joint_or_apart(Make make) {
    const Traces traces = this->traces();
    if (!is_joint_) return make(traces.forward);
    try {
        KnownSizes::Made made = make(traces.joint);
        joint_executable_ = std::dynamic_pointer_cast<program::JointExecutable>(made.executable);
        if (joint_executable_) made.executable = {joint_executable_, &joint_executable_->forward()};
        return made;
    } catch (const CompileError& error) {  // An error of the user's would be thrown again.
        KnownSizes::Made made = make(traces.forward);
        why_apart_ = error.what();
        is_joint_ = false;
        return made;
    }
}

bool Program::compile() {
    return make_executable([&](const CompileOptions& options) {
        return make_joint_or_apart([&](const std::shared_ptr<const Trace>& trace) {
            return sizes_->compile(trace, options);
        });
    });
}

bool Program::resize() {
    return make_executable([&](const CompileOptions& options) {
        return make_joint_or_apart([&](const std::shared_ptr<const Trace>& trace) {
            return KnownSizes::Made{sizes_->resize(*trace, options), true};
        });
    });
}

std::shared_ptr<const Trace> Program::joint_trace() const { return traces().joint; }

std::string Program::why_apart() const {
    std::lock_guard lock(mutex_);
    return why_apart_;
}

/// Also the numbers of backward, which forward may read: it computes what backward would compute
/// once more.
SmallVector<double, 32> Program::joint_scalars(std::span<const double> scalars) const {
    SmallVector<double, 32> all(scalars);
    for (const GraphEnd::Number& n : graph_->scalars)
        all.push_back(n.cell ? n.cell->value : n.slot >= 0 ? scalars[size_t(n.slot)] : n.value);
    return all;
}

void Program::run_backward(std::span<const Array> inputs, std::span<const double> scalars,
                           std::span<const bool> donated, std::span<Array> outputs) {
    ran_backward_ = true;
    joint_executable_->backward().run(inputs, scalars, donated, outputs);
}

/// `outputs` are given_outputs().
void Program::run_compiled(std::span<const Array> inputs, std::span<const double> scalars,
                           std::span<const bool> donated, std::span<Array> outputs) {
    if (!joint_executable_) return executable_->run(inputs, scalars, donated, outputs);
    const std::vector<int>& places = joint_outputs_;
    SmallVector<Array, 32> made(places.size() + 1);
    executable_->run(inputs, joint_scalars(scalars), donated, made);
    for (size_t i = 0; i < places.size(); ++i) outputs[size_t(places[i])] = std::move(made[i]);
    outputs.back() = std::move(made[places.size()]);
}

void Program::run(FollowedCall& call, Activation* activation, const Check& check) {
    SmallVector<Array, 32> inputs, outputs(given_outputs());
    inputs.reserve(inputs_.size());
    call.values.count_references(call.effects.log());
    SmallVector<bool, 64> donated;
    for (int v : inputs_) donated.push_back(!activation && call.may_give_away(v));
    for (int v : inputs_) inputs.push_back(call.content(v));
    run_compiled(inputs, call.numbers.values(), donated, outputs);
    if (check) check(outputs);
    deliver(call, outputs);
    if (activation) keep_for_backward(call, *activation, inputs, outputs);
}

void Program::deliver(FollowedCall& call, std::span<const Array> outputs) const {
    for (size_t i = 0; i < outputs_.size(); ++i)
        if (output_alive_[i]) call.values.deliver(outputs_[i], outputs[i]);
}

void Program::interpret(FollowedCall& call, Activation* activation) {
    if (!activation) return call.interpret(ending_.last, wanted_);
    std::vector<Array> inputs;
    for (int v : inputs_) inputs.push_back(call.content(v));
    call.interpret(ending_.last, wanted_);
    std::vector<Array> outputs;
    for (int v : outputs_) outputs.push_back(call.values.array(v));
    keep_for_backward(call, *activation, inputs, outputs);
}

std::vector<Array> Program::run(std::span<const Array> inputs, std::span<const double> scalars,
                                std::span<const bool> donated) {
    const bool compiled = is_compiled();
    std::vector<Array> outputs(compiled ? given_outputs() : outputs_.size());
    if (compiled)
        run_compiled(inputs, scalars, donated, outputs);
    else
        interpret_trace(*forward(), {inputs.begin(), inputs.end()}, scalars, outputs);
    return outputs;
}

void Program::keep_for_backward(const FollowedCall& call, Activation& activation,
                                std::span<const Array> inputs, std::span<const Array> outputs) {
    keep_for_backward(activation, inputs, outputs, call.numbers.values());
    for (size_t i = 0; i < inputs.size(); ++i)
        if (const Array& original = call.values.array(inputs_[i]); !(original == inputs[i]))
            activation.originals.emplace_back(int(i), original);
}

void Program::keep_for_backward(Activation& activation, std::span<const Array> inputs,
                                std::span<const Array> outputs, std::span<const double> scalars) {
    activation.program = shared_from_this();
    activation.inputs.clear();
    activation.inputs.append(inputs.begin(), inputs.end());
    activation.scalars.clear();
    activation.scalars.append(scalars.begin(), scalars.end());
    keep_values(activation, outputs);
}

void Program::keep_values(Activation& activation, std::span<const Array> outputs) const {
    activation.kept.clear();
    activation.is_joint = outputs.size() > outputs_.size();
    if (!activation.is_joint) {
        for (int place : kept_outputs_)
            activation.kept.push_back(place >= 0 ? outputs[size_t(place)]
                                                 : activation.inputs[size_t(-1 - place)]);
        return;
    }
    activation.joint_scalars = joint_scalars(activation.scalars);
    for (int from : joint_executable_->backward_inputs())
        if (from < 0) activation.kept.push_back(outputs[size_t(joint_outputs_[size_t(-1 - from)])]);
    activation.kept.push_back(outputs.back());
}

void Program::compute_kept(Activation& activation) {
    keep_values(activation, run(activation.inputs, activation.scalars, {}));
}

std::vector<Array> Program::kept_by_interpretation(const Activation& activation) const {
    std::vector<Array> outputs(outputs_.size()), kept;
    if (kept_outputs_.empty()) return kept;
    const RecorderScope unseen(nullptr);
    interpret_trace(*forward(), {activation.inputs.begin(), activation.inputs.end()},
                    activation.scalars, outputs);
    for (int place : kept_outputs_)
        kept.push_back(place >= 0 ? outputs[size_t(place)] : activation.inputs[size_t(-1 - place)]);
    return kept;
}

size_t Program::bytes() const {
    return sizeof(*this) + (is_compiled() && is_resized_ ? 0 : trace_bytes_) +
           (is_compiled() ? executable_->info().bytes : 0);
}

}  // namespace catena::capture
