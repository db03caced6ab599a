#include "frontend/capture/replay/replay.h"

#include <algorithm>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/graph/used_up.h"
#include "frontend/capture/run/activation.h"
#include "frontend/capture/run/program.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/held_state.h"
#include "runtime/graph/call/recorder.h"

namespace catena::capture {

// Stored variables may belong to another thread by now: compare only those that this call has, too.
bool Replay::holds(FollowedCall& now, const Program& program, const Flat& arguments,
                   const Flat& results) {
    if (results.variables.size() != call_.results.size()) return false;
    auto is_output = [&](const Array& array, const Source& s) {
        return s.value >= 0 && array.defined() && now.values.is_pending(*array.body()) &&
               array.body()->value == s.value;
    };
    size_t next = 0;
    bool is_same = true;
    auto check = [&](const VariableBody* body, bool is_gradient) {
        if (!is_same || next == call_.effects.size()) return void(is_same = false);
        const CallDescription::Effect& e = call_.effects[next++];
        const VariableBody* expected = e.target(arguments.variables, results.variables);
        if (e.is_gradient != is_gradient || expected != body)
            is_same = false;
        else if (e.argument >= 0)
            return;
        else if (!is_gradient)
            is_same = is_output(body->array, e.value);
        else if (e.consumed)
            is_same = body->grad_consumed;
        else
            is_same =
                body->grad ? is_output(body->grad->array, e.value) : e.value.kind == Source::none;
    };
    now.effects.log().for_each_first_gradient(
        now.scratch,
        [&](const Ref<VariableBody>& body, const Array&, int) { check(body.get(), true); });
    now.effects.log().for_each_first_content(
        now.scratch,
        [&](const Ref<VariableBody>& body, const Array&, int) { check(body.get(), false); });
    if (!is_same || next != call_.effects.size()) return false;
    for (size_t i = 0; i < call_.inputs.size(); ++i) {
        Source& s = call_.inputs[i];
        const Array& array = now.values.array(program.plan().inputs()[i]);
        if (s.kind == Source::captured) s.array = array;
        if (s.kind == Source::gradient) return false;
        // An assigned state is identified by its new content.
        if (s.kind == Source::state && !call_.input_assigned[i] &&
            array.body()->owner != s.body.get())
            return false;
    }
    call_.take_scalars(now);
    return true;
}

bool Replay::applies(const Flat& arguments, const Program& program) const {
    if (code_changes_ != code_changes()) return false;
    for (size_t i = 0; i < call_.inputs.size(); ++i) {
        const Source& s = call_.inputs[i];
        if (s.kind == Source::gradient && (!s.body->grad || s.body->grad_consumed)) return false;
        const Array* array = s.kind == Source::state      ? &s.body->array
                             : s.kind == Source::gradient ? &s.body->grad->array
                                                          : nullptr;
        if (array && (!array->defined() || array->body()->pending ||
                      !(array->type() == program.plan().input_type(i)) ||
                      &array->device() != &program.plan().device()))
            return false;
    }
    for (const CallDescription::Read& r : call_.reads) {
        const VariableBody* body =
            r.body ? r.body.get() : arguments.variables[size_t(r.argument)].body();
        if (bool(body->grad) != r.found || body->grad_consumed != r.consumed) return false;
    }
    return std::ranges::all_of(call_.facts, [](const CallDescription::Fact& f) {
        return f.before == f.after && f.of->present() == f.before;
    });
}

Array Replay::value_of(const Source& s, const Flat& arguments,
                       std::span<const Array> outputs) const {
    Array array = array_of(s, arguments, outputs);
    for (const Step* step : s.views) {
        const Step::Call& call = *step->call;
        array = run_kernel(*call.op, std::span(&array, 1), call.attributes, {})[0];
    }
    return array;
}

const Array& Replay::array_of(const Source& s, const Flat& arguments,
                              std::span<const Array> outputs) const {
    static const Array& none = *new Array;
    switch (s.kind) {
        case Source::argument:
            return arguments.variables[size_t(s.index)].array();
        case Source::state:
            return s.body->array;
        case Source::gradient:
            return s.body->grad->array;
        case Source::captured:
            return s.array;
        case Source::output:
            return outputs[size_t(s.index)];
        default:
            return none;
    }
}

bool Replay::run(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree,
                 SmallVector<Variable, 4>& results) const {
    std::vector<Array> inputs;
    inputs.reserve(call_.inputs.size());
    for (const Source& s : call_.inputs) inputs.push_back(value_of(s, arguments, {}));
    SmallVector<bool, 64> donated;
    for (size_t i = 0; i < call_.inputs.size(); ++i)
        donated.push_back(call_.inputs[i].kind == Source::state && !program.plan().graph() &&
                          !call_.input_read_later[i] && inputs[i].body()->use_count() == 2 &&
                          inputs[i].storage()->may_be_taken(1) && begins_its_storage(inputs[i]));
    SmallVector<double, 16> scalars;
    for (const Trace::ScalarSlot& slot : call_.scalars)
        scalars.push_back(slot.cell ? slot.cell->value : slot.value);
    std::vector<Array> outputs;
    try {
        RecorderScope unseen(nullptr);
        outputs = program.run(inputs, scalars, donated);
    } catch (const std::exception&) {
        if (program.plan().sends_messages()) throw;  // Messages must not be sent twice.
        return false;
    }
    make_results(arguments, outputs, results);
    if (program.plan().graph()) attach(arguments, program, tree, inputs, outputs, scalars, results);
    inputs.clear();
    apply_effects(arguments, outputs, results);
    return true;
}

void Replay::apply_effects(const Flat& arguments, std::vector<Array>& outputs,
                           std::span<const Variable> results) const {
    SmallVector<Array, 8> values;  // Read all before writing any.
    for (const CallDescription::Effect& e : call_.effects) {
        const Array value = value_of(e.value, arguments, outputs);
        const bool is_kept =
            e.is_gradient || e.target(arguments.variables, results)->array == value;
        values.push_back(is_kept ? value : not_held(value));
    }
    outputs.clear();
    for (size_t i = 0; i < call_.effects.size(); ++i) {
        const CallDescription::Effect& e = call_.effects[i];
        const Variable v(Ref<VariableBody>(e.target(arguments.variables, results)));
        if (!e.is_gradient) {
            if (!(v.array() == values[i])) bind_state(*v.body(), values[i]);
            continue;
        }
        v.set_grad(values[i]);
        v.body()->grad_consumed = e.consumed;
    }
}

void Replay::make_results(const Flat& arguments, std::span<const Array> outputs,
                          SmallVector<Variable, 4>& results) const {
    SmallVector<Variable, 2> used_up;
    for (size_t k = 0; k < call_.variables.size(); ++k) {
        const CallDescription::Result& r = call_.variables[k];
        if (r.kind != CallDescription::Result::made) {
            const Variable same =
                r.kind == CallDescription::Result::argument ? arguments.variables[size_t(r.index)]
                : r.kind == CallDescription::Result::state  ? Variable(r.body)
                                                            : results[size_t(r.index)];
            results.push_back(same);
        } else if (call_.results[k].kind == Source::none) {
            results.emplace_back();
        } else {
            results.emplace_back(value_of(call_.results[k], arguments, outputs), r.requires_grad);
            if (!r.name.empty()) results.back().set_name(r.name);
            if (r.is_used_up) used_up.push_back(results.back());
        }
    }
    if (!used_up.empty())
        attach_region(region_op(), {}, {}, used_up,
                      std::make_unique<UsedUp>(call_.region, Reach()));
}

void Replay::attach(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree,
                    std::span<const Array> inputs, std::span<const Array> outputs,
                    std::span<const double> scalars, SmallVector<Variable, 4>& results) const {
    const GraphEnd& graph = *program.plan().graph();
    SmallVector<Variable, 2> made;
    SmallVector<Edge, 4> border;
    SmallVector<Type, 2> types;
    for (int r : call_.graph_results) made.push_back(results[size_t(r)]);
    for (const CallDescription::Border& b : call_.border) {
        border.push_back(
            edge_of(b.state ? Variable(b.state) : arguments.variables[size_t(b.argument)]));
        types.push_back(b.type);
    }
    auto activation = std::make_unique<Activation>(tree, graph);
    activation->cells = call_.cells;
    program.keep_for_backward(*activation, inputs, outputs, scalars);
    attach_region(region_op(), border, types, made, std::move(activation));
}

}  // namespace catena::capture
