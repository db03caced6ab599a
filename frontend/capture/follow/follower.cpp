#include "frontend/capture/follow/follower.h"

#include <optional>

#include "runtime/core/array/device.h"
#include "runtime/core/array/held_memory.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/eager.h"
#include "runtime/graph/op/call_types.h"
#include "runtime/graph/op/copy_op.h"
#include "runtime/graph/op/hooks.h"
#include "runtime/graph/settings/config.h"

namespace catena::capture {
namespace {

/// The array of an operation's input, which apply() has checked.
ArrayBody* body_of(const Variable& x) { return x.body()->array.body(); }

/// The inputs as they are now, where the code has a pointer to write through.
std::span<const Variable* const> as_read(FollowedCall& followed, const OpCall& call) {
    const std::span<const Variable* const> read = followed.memory.as_read(call);
    if (read.data() != call.inputs.data()) {
        followed.effects.disturb();
        followed.effects.need_code(
            "it writes, or may write through a pointer, to an array that it reads");
    }
    return read;
}

/// ValueError where the operation runs on a device: libraries ask for the setting when the program
/// runs, which is after its scope.
void refuse_precision(const OpCall& call, bool before) {
    for (const Variable* x : call.inputs)
        if (x->defined() && !x->array().device().is_host())
            fail<ValueError>(
                "{}: the setting tf32 is {} here and was {} when the region was called; it holds "
                "for a whole call: set it around the call",
                call.op.name, config().tf32, before);
}

}  // namespace

//---- operations

Variables Follower::perform(const OpCall& call) {
    Variables outputs;
    if (!follow(call, outputs)) outputs = call.op.body ? follow_body(call) : extend(call);
    if (Node* node = connect(call, outputs))
        call_.nodes.add({node, call_.cursor.step(), composites_.last_scalar()});
    return outputs;
}

bool Follower::follow(const OpCall& call, Variables& outputs) {
    const OpDef& op = call.op;
    const Config& now = config();
    if (now.tf32 != tf32_ || now.debug != debug_) [[unlikely]]
        change_settings(call);
    Device& device =
        call.inputs.empty() ? current_device() : *body_of(*call.inputs[0])->storage->device;
    if (const Step* last = call_.cursor.step(); last && last->call->device != &device) [[unlikely]]
        leave_device(op, device);
    if (call_.rules.watches_memory)
        for (const Variable* x : call.inputs)
            if (ArrayBody& read = *body_of(*x);
                (!read.pending || !call_.values.memory().views().empty()) &&
                may_be_written(*read.storage)) [[unlikely]]
                call_.memory.watch(call, read, call_.values);
    if (call_.memory.has_pointers()) [[unlikely]] {
        if (op.body) return false;
        return follow_step({op, as_read(call_, call), call.attributes, call.scalars}, outputs);
    }
    return op.body ? composites_.repeat(call, outputs) : follow_step(call, outputs);
}

bool Follower::follow_step(const OpCall& call, Variables& outputs) {
    for (const Variable* x : call.inputs)  // An array of an enclosing region.
        if (ArrayBody* body = body_of(*x); body->pending && body->pending != this)
            body->pending->force(*body);
    const Step* known =
        call_.cursor.find([&](const Step& step) { return call_.matches(step, call); });
    if (known) take(*known, call, outputs);
    return known;
}

Variables Follower::extend(const OpCall& given) {
    const Types types = call_types(given);
    for (const Type& type : types) byte_count(type);  // Refuses what no array can be.
    Device& device = call_device(given);
    call_.numbers.know_cells(call_.cursor.step());
    const OpCall call{given.op, call_.memory.has_pointers() ? as_read(call_, given) : given.inputs,
                      given.attributes, given.scalars};
    std::unique_ptr<Step> made = call_.made_step(call, types, device);
    if (call_.cursor.leaves_known_paths())
        runner_->left(made.get(), call_.cursor.place().steps.load(std::memory_order_acquire));
    const Step& step = call_.cursor.extend(
        std::move(made), [&](const Step& known) { return call_.matches(known, call); });
    Variables outputs;
    take(step, call, outputs);
    return outputs;
}

Variables Follower::follow_body(const OpCall& call) {
    check_composite(call);
    std::optional<FunctionHooksPaused> unheard;  // In eager code this is one kernel.
    if (call.op.kernel) unheard.emplace();
    composites_.begin(call);
    Variables outputs;
    try {
        outputs = run_body(call);
    } catch (...) {  // The user's code may catch it and go on.
        composites_.end({});
        throw;
    }
    composites_.end(outputs);
    return outputs;
}

/// What was recorded before is computed with the old setting.
void Follower::change_settings(const OpCall& call) {
    if (config().tf32 != tf32_) refuse_precision(call, tf32_);
    if (config().debug == debug_) return;
    if (call_.cursor.steps() > 0 && !call_.rules.breaks)
        fail<ValueError>(
            "static_graph {}: the setting debug is {} for {} and was {} before it, a program is "
            "checked as a whole, and the option breaks is false. Set it around the call, or allow "
            "breaks",
            call_.rules.region, config().debug, call.op.name, debug_);
    needs_code("it changes the setting debug");
    if (call_.cursor.steps() > 0) cut();
    debug_ = config().debug;
}

/// A program is of one device: what was recorded for another than that of `op` is computed first.
void Follower::leave_device(const OpDef& op, const Device& next) {
    const Device& device = *call_.cursor.step()->call->device;
    if (next.is_meta() || device.is_meta()) return;
    if (!call_.rules.breaks)
        fail<DeviceError>(
            "static_graph {}: {} is on {} after operations on {}, a program is of one device, and "
            "the option breaks is false. Keep the region's operations on one device, or allow "
            "breaks",
            call_.rules.region, op.name, next.name(), device.name());
    settle();
}

//---- what the code does beside operations

void Follower::needs_code(const char* why) {
    call_.effects.disturb();
    call_.effects.need_code(why);
}

void Follower::stands_for(const Variable& state, const Variable& variable) {
    call_.effects.disturb();
    if (call_.rules.is_replayed) call_.effects.stand_in(state, variable);
}

void Follower::same(const Array& copy, const Array& array) {
    if (is_in_code() && array.body()->pending != this) call_.effects.same(copy, array);
}

void Follower::reads_gradient(VariableBody& variable) {
    const ArrayBody* array = variable.array.body();
    const bool is_made = !variable.is_state && array &&
                         array->pending == this;  // It has had no gradient before the call.
    if (call_.rules.is_replayed && is_in_code() && !is_made)
        call_.effects.log().reads_gradient(variable);
}

void Follower::asks(const std::shared_ptr<const HostFact>& fact) {
    call_.effects.disturb();
    if (call_.rules.is_replayed) call_.effects.ask(fact);
}

void Follower::walks(const Node& node) {
    // Its arrays are not those that a later call's graph would have.
    if (!call_.nodes.made(node))
        call_.effects.need_code(
            "backward() or grad() inside it goes on through a graph from outside");
}

void Follower::assigned(const Variable& state, const Variable&) {
    call_.effects.disturb();
    call_.effects.log().content(*state.body(), call_.cursor.steps());
}

void Follower::changing(VariableBody& variable, Change what) {
    if (what == Change::content)
        call_.effects.log().content(variable, call_.cursor.steps());
    else
        call_.effects.log().gradient(variable, call_.cursor.steps());
}

bool Follower::repeat(const WalkRequest& request, Variables& results) {
    walks_.drop();
    return is_in_code() && !composites_.are_open() && !config().debug && !debug_ &&
           config().tf32 == tf32_ && walks_.repeat(request, results);
}

//---- its arrays

void Follower::addressed(ArrayBody& array) {
    call_.effects.disturb();
    if (call_.is_computing) return;
    call_.memory.take_pointer(array);
    if (call_.cursor.steps() > 0 && call_.values.reads(*array.storage)) cut();
}

ArrayBody* Follower::look(ArrayBody& array, const Shape& shape, const Strides& strides,
                          int64_t offset) {
    if (!(shape == array.type.shape) || !(strides == array.strides) || offset != array.offset)
        return nullptr;
    call_.effects.disturb();
    return call_.values.look(array);
}

Array Follower::row_major(ArrayBody& array) {
    if (current_recorder() != this || call_.is_computing) return {};
    // Another array may be row-major itself.
    if (call_.values.shows_outside(array.value)) call_.effects.disturb();
    const Variable x(Array(Ref<ArrayBody>(&array)), false);
    const Variable* const inputs[] = {&x};
    return perform({copy_op(), inputs, {}, {}})[0].array();
}

}  // namespace catena::capture
