#include "frontend/capture/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/capture/activation.h"
#include "frontend/capture/followed_call.h"
#include "frontend/capture/pointer_table.h"
#include "frontend/capture/program.h"
#include "frontend/capture/used_up.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/graph/held_state.h"
#include "runtime/graph/recorder.h"

namespace catena::capture {
namespace {

/// Of each thread, because every followed call makes a Replay: their memory stays.
struct Tables {
    PointerTable seen;                 ///< Variables.
    PointerTable gradients, contents;  ///< Arrays before the call: the variables they belonged to,
                                       ///< by their place in `bodies`.
    PointerTable changed;              ///< States that the call assigns.
    PointerTable inputs;               ///< The program's inputs by their arrays.
    std::vector<int> outputs;          ///< Its outputs by their values; -1 for others.
    PointerTable holders;              ///< How many variables hold an array.
    std::vector<VariableBody*> bodies;
};

/// In the tables: of two variables.
constexpr int shared = -1;

Tables& tables() {
    static constinit PerThread<Tables> tables;
    return tables.get();
}

}  // namespace

Replay::Replay(FollowedCall& call, const Activation* activation, const Program& program,
               const Flat& arguments, const Flat& results)
    : activation_(activation) {
    region_ = call.rules.region;
    scalars_.resize(call.numbers.values().size());
    take_scalars(call);
    find_inputs(call, program, arguments);
    find_places(call, program);
    find_ambiguities(arguments);
    find_effects(call, program, arguments, results);
    find_assigned_inputs();
    find_results(call, program, arguments, results);
    find_reads(call, arguments);
    find_facts(call);
    look_for_obstacles(call, program, arguments, results);
    activation_ = nullptr;
}

void Replay::find_inputs(FollowedCall& call, const Program& program, const Flat& arguments) {
    Tables& t = tables();
    t.gradients.clear();
    t.contents.clear();
    t.bodies.clear();
    const auto note = [&](PointerTable& table, const Array& before, VariableBody* body) {
        int& place = table.insert(before.body(), int(t.bodies.size()));
        if (place == int(t.bodies.size()))
            t.bodies.push_back(body);
        else if (place != shared && t.bodies[size_t(place)] != body)
            place = shared;
    };
    call.effects.log().for_each_first_gradient(
        t.seen, [&](const Ref<VariableBody>& body, const Array& before, int) {
            if (before.defined()) note(t.gradients, before, body.get());
        });
    for (const UndoLog::Read& r : call.effects.log().reads())
        if (r.body->grad && !call.values.is_pending(*r.body->grad->array.body()))
            note(t.gradients, r.body->grad->array, r.body.get());
    t.changed.clear();
    call.effects.log().for_each_first_content(
        t.seen, [&](const Ref<VariableBody>& body, const Array& before, int) {
            t.changed.insert(body.get(), 0);
            if (before.defined() && body->is_state) note(t.contents, before, body.get());
        });
    inputs_.reserve(program.inputs().size());
    for (int v : program.inputs()) {
        if (v < int(arguments.variables.size()))
            inputs_.push_back({.kind = Source::argument, .index = v});
        else
            inputs_.push_back(from_outside(call.effects.original(call.values.array(v)), arguments));
    }
    input_read_later_.resize(inputs_.size());
    input_assigned_.resize(inputs_.size());
}

/// An array from before the call. A state that the call assigns may have become its owner by now:
/// what counts is who held it when the call began.
Replay::Source Replay::from_outside(const Array& array, const Flat& arguments) {
    Tables& t = tables();
    const auto was = [&](PointerTable& table) {
        const int* place = table.find(array.body());
        if (place && *place == shared)
            obstacle_ = "it reads an array that is the gradient, or the content, of two variables";
        return place && *place != shared ? t.bodies[size_t(*place)] : nullptr;
    };
    if (VariableBody* state = was(t.contents))
        return {.kind = Source::state, .body = Ref<VariableBody>(state)};
    for (size_t k = 0; k < arguments.variables.size(); ++k)
        if (arguments.variables[k].defined() && arguments.variables[k].array() == array)
            return {.kind = Source::argument, .index = int(k)};
    VariableBody* owner = array.body()->owner;
    if (owner && !t.changed.find(owner))
        return {.kind = Source::state, .body = Ref<VariableBody>(owner)};
    if (VariableBody* of = was(t.gradients))
        return {.kind = Source::gradient, .body = Ref<VariableBody>(of)};
    return {.kind = Source::captured, .array = array};
}

void Replay::find_places(const FollowedCall& call, const Program& program) {
    Tables& t = tables();
    t.inputs.clear();
    for (size_t i = 0; i < inputs_.size(); ++i)
        t.inputs.insert(call.values.array(program.inputs()[i]).body(), int(i));
    t.outputs.clear();
    for (size_t i = 0; i < program.outputs().size(); ++i) {
        if (!program.is_referenced(i)) continue;  // It is kept for backward only.
        const auto v = size_t(program.outputs()[i]);
        if (v >= t.outputs.size()) t.outputs.resize(v + 1, -1);
        if (t.outputs[v] < 0) t.outputs[v] = int(i);
    }
}

/// A view is made of the array whose memory it shows, unless it is computed in its place.
Replay::Source Replay::computed(int value, FollowedCall& call, const Flat& arguments) {
    const auto place_of = [](int v) {
        const std::vector<int>& places = tables().outputs;
        return size_t(v) < places.size() ? places[size_t(v)] : -1;
    };
    int base = -1;
    std::vector<const Step*> views = call.values.view_steps(value, base);
    Source source;
    if (!call.values.is_computed(base))
        source = source_of(call.values.array(base), call, arguments);
    else if (const int place = place_of(base); place >= 0)
        source = {.kind = Source::output, .index = place};
    else
        source = {.kind = Source::output, .index = place_of(value)};
    if (!call.values.is_computed(base) || place_of(base) >= 0) source.views = std::move(views);
    CATENA_ASSERT(source.kind != Source::output || source.index >= 0,
                  "a program does not compute what is referenced");
    source.value = value;
    return source;
}

Replay::Source Replay::source_of(const Array& array, FollowedCall& call, const Flat& arguments) {
    if (!array.defined()) return {};
    if (call.values.is_pending(*array.body()))
        return computed(array.body()->value, call, arguments);
    if (const int* i = tables().inputs.find(array.body())) return inputs_[size_t(*i)];
    return from_outside(call.effects.original(array), arguments);
}

/// Two arguments that are one array have one input in the recording. (Calls that skip the code have
/// another key where they are two.)
void Replay::find_ambiguities(const Flat& arguments) {
    PointerTable& places = tables().seen;
    places.clear();
    for (size_t k = 0; k < arguments.variables.size(); ++k) {
        const Variable& x = arguments.variables[k];
        if (!x.defined() || !x.array().defined()) continue;
        const int first = places.insert(x.array().body(), int(k));
        if (first != int(k))
            ambiguity_ =
                fmt::format("arguments {} and {} were one array when it was called", first, k);
    }
}

void Replay::find_effects(FollowedCall& call, const Program& program, const Flat& arguments,
                          const Flat& results) {
    PointerTable& seen = tables().seen;
    const auto is_made = [&](const VariableBody& body) {
        return !body.is_state && body.array.defined() && call.values.is_pending(*body.array.body());
    };
    effects_.reserve(inputs_.size());
    auto add = [&](const Ref<VariableBody>& body, bool is_gradient) {
        Effect effect{.is_gradient = is_gradient};
        for (size_t k = 0; k < arguments.variables.size(); ++k)
            if (arguments.variables[k].body() == body.get()) effect.argument = int(k);
        // A loss is another variable at every call.
        for (size_t k = 0; effect.argument < 0 && is_made(*body) && k < results.variables.size();
             ++k)
            if (results.variables[k].body() == body.get()) effect.result = int(k);
        if (effect.argument < 0 && effect.result < 0) effect.body = body;
        if (!is_gradient)
            effect.value = source_of(body->array, call, arguments);
        else if (body->grad_consumed)
            effect.consumed = true;
        else if (body->grad)
            effect.value = source_of(body->grad->array, call, arguments);
        effects_.push_back(std::move(effect));
    };
    call.effects.log().for_each_first_gradient(
        seen, [&](const Ref<VariableBody>& body, const Array&, int) { add(body, true); });
    call.effects.log().for_each_first_content(
        seen, [&](const Ref<VariableBody>& body, const Array&, int) {
            if (body->is_state)
                add(body, false);
            else
                obstacle_ = "the code assigns an array to a variable that is not a State";
        });
}

void Replay::find_assigned_inputs() {
    PointerTable& assigned = tables().seen;
    assigned.clear();
    for (const Effect& e : effects_)
        if (!e.is_gradient && e.body) assigned.insert(e.body.get(), 0);
    for (size_t i = 0; i < inputs_.size(); ++i)
        if (inputs_[i].kind == Source::state && assigned.find(inputs_[i].body.get()))
            input_assigned_[i] = 1;
}

/// A result that later calls cannot make is an obstacle.
Replay::Result Replay::result_of(size_t k, const FollowedCall& call, const Flat& arguments,
                                 const Flat& results) {
    const Variable& y = results.variables[k];
    if (!y.defined()) return {};
    const auto is_y = [&](const Variable& other) { return other.body() == y.body(); };
    const auto place_in = [&](const auto& list, size_t end) {
        return int(std::find_if(list.begin(), list.begin() + ptrdiff_t(end), is_y) - list.begin());
    };
    if (const int j = place_in(results.variables, k); j < int(k))
        return {.kind = Result::earlier, .index = j};
    const int a = place_in(arguments.variables, arguments.variables.size());
    if (a < int(arguments.variables.size())) return {.kind = Result::argument, .index = a};
    const VariableBody& body = *y.body();
    if (body.is_state) return {.kind = Result::state, .body = y.ref()};
    Result made{.name = y.name()};
    const bool is_computed = results_[k].value >= 0;
    if (const Node* creator = body.creator.get()) {
        made.is_used_up =
            dynamic_cast<const UsedUp*>(creator->region.get()) && creator->edges.empty();
        if (!made.is_used_up && (!activation_ || creator->region.get() != activation_))
            obstacle_ = "a result has a graph from outside";
    } else if (body.alias_of) {
        obstacle_ = "a result stands for a variable from outside";
    } else {
        made.requires_grad = body.requires_grad;
        // An array among the results belongs to a variable that only this list holds.
        if (!is_computed &&
            (made.requires_grad || (results_[k].kind == Source::captured && body.use_count() > 1)))
            obstacle_ =
                "a result is a variable that it has not computed, and no argument, parameter or "
                "other state";
    }
    return made;
}

void Replay::find_results(FollowedCall& call, const Program& program, const Flat& arguments,
                          const Flat& results) {
    for (const Variable& y : results.variables) {
        Source source = y.defined() ? source_of(y.array(), call, arguments) : Source();
        for (size_t k = 0; y.defined() && k < arguments.variables.size(); ++k)
            if (arguments.variables[k].body() == y.body())
                source = {.kind = Source::argument, .index = int(k)};
        results_.push_back(std::move(source));
    }
    for (size_t k = 0; k < results_.size(); ++k)
        variables_.push_back(result_of(k, call, arguments, results));
    PointerTable& kept = tables().seen;
    kept.clear();
    auto keep = [&](const Source& s) {
        if (s.kind == Source::state) kept.insert(s.body.get(), 0);
    };
    for (const Source& s : results_) keep(s);
    for (const Effect& e : effects_) keep(e.value);
    for (size_t i = 0; i < inputs_.size(); ++i)
        if (inputs_[i].kind == Source::state && kept.find(inputs_[i].body.get()))
            input_read_later_[i] = 1;
}

void Replay::find_reads(const FollowedCall& call, const Flat& arguments) {
    for (const UndoLog::Read& r : call.effects.log().reads()) {
        const auto its = std::ranges::find_if(
            arguments.variables, [&](const Variable& x) { return x.body() == r.body.get(); });
        if (its == arguments.variables.end())
            reads_.push_back({.body = r.body, .found = r.found, .consumed = r.consumed});
        else
            reads_.push_back({.argument = int(its - arguments.variables.begin()),
                              .found = r.found,
                              .consumed = r.consumed});
    }
}

/// What the code asked of the host, and the graph that recurrent states are left with.
void Replay::find_facts(const FollowedCall& call) {
    for (const auto& [fact, before] : call.effects.facts())
        facts_.push_back({fact, before, fact->present()});
    for (const Effects::StandIn& s : call.effects.stand_ins())
        if (s.second->creator)
            obstacle_ =
                "a recurrent state keeps its graph for the next call (unchain_backward cuts it)";
}

/// The graph of the results that later calls make must be this call's, edge by edge.
void Replay::find_graph(const FollowedCall& call, const GraphEnd& graph, const Flat& arguments,
                        const Flat& results) {
    graph_results_.assign(graph.outputs.size(), -1);
    const Node* node = nullptr;
    for (size_t k = results.variables.size(); k-- > 0;) {
        const VariableBody* body = results.variables[k].body();
        if (!body || !body->creator || !activation_ || body->creator->region.get() != activation_)
            continue;
        node = body->creator.get();
        graph_results_[size_t(body->output_index)] = int(k);
    }
    if (std::ranges::count(graph_results_, -1) > 0)
        obstacle_ = "a variable with a graph that is not a result is still referenced";
    if (!node) return;
    cells_ = activation_->cells;
    for (size_t i = 0; i < node->edges.size(); ++i) {
        const Edge& edge = node->edges[i];
        Border& border = border_.emplace_back(Border{.type = node->input_types[i]});
        if (edge.leaf && edge.leaf->is_state) border.state = edge.leaf;
        for (size_t k = 0; k < arguments.variables.size() && border.argument < 0; ++k)
            if (same_edge(edge_of(arguments.variables[k]), edge)) border.argument = int(k);
        if (!border.state && border.argument < 0)
            obstacle_ =
                "gradients flow to a variable that is no argument, parameter or other state";
    }
}

void Replay::look_for_obstacles(const FollowedCall& call, const Program& program,
                                const Flat& arguments, const Flat& results) {
    if (program.graph()) find_graph(call, *program.graph(), arguments, results);
    for (const Source& s : inputs_)
        for (const Variable& x : arguments.variables)
            if (s.kind == Source::gradient && s.body.get() == x.body())
                obstacle_ = "it reads the gradient that an argument came with";
    // All owners of computed arrays: the call itself, results, states and gradients.
    Tables& t = tables();
    t.holders.clear();
    t.seen.clear();
    auto hold = [&](const VariableBody* body) {
        if (body && t.seen.insert(body, 0)++ == 0) ++t.holders.insert(body->array.body(), 0);
    };
    for (const Variable& y : results.variables) hold(y.body());
    for (const Effects::StandIn& s : call.effects.stand_ins()) hold(s.second.get());
    for (const Effect& e : effects_) {
        const VariableBody* body = e.target(arguments.variables, results.variables);
        hold(body);
        hold(body->grad.get());
    }
    std::vector<int> values = program.outputs(), views = call.values.live_views();
    values.insert(values.end(), views.begin(), views.end());
    for (int v : values) {
        const ArrayBody* array = call.values.array(v).body();
        const int* known = t.holders.find(array);
        if (array->use_count() > 1 + uint32_t(known ? *known : 0))
            obstacle_ = fmt::format(
                "the code computes an array ({}) that is still referenced, but no result, state or "
                "gradient",
                to_string(array->type));
    }
    if (call.cursor.cuts() > 0) obstacle_ = "the host reads a computed value in it";
    if (call.effects.needs_code()) obstacle_ = call.effects.needs_code();
}

// Stored variables may belong to another thread by now: compare only those that this call has, too.
bool Replay::holds(FollowedCall& call, const Program& program, const Flat& arguments,
                   const Flat& results) {
    if (results.variables.size() != results_.size()) return false;
    auto is_output = [&](const Array& array, const Source& s) {
        return s.value >= 0 && array.defined() && call.values.is_pending(*array.body()) &&
               array.body()->value == s.value;
    };
    size_t next = 0;
    bool is_same = true;
    auto check = [&](const VariableBody* body, bool is_gradient) {
        if (!is_same || next == effects_.size()) return void(is_same = false);
        const Effect& e = effects_[next++];
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
    call.effects.log().for_each_first_gradient(
        call.scratch,
        [&](const Ref<VariableBody>& body, const Array&, int) { check(body.get(), true); });
    call.effects.log().for_each_first_content(
        call.scratch,
        [&](const Ref<VariableBody>& body, const Array&, int) { check(body.get(), false); });
    if (!is_same || next != effects_.size()) return false;
    for (size_t i = 0; i < inputs_.size(); ++i) {
        Source& s = inputs_[i];
        const Array& array = call.values.array(program.inputs()[i]);
        if (s.kind == Source::captured) s.array = array;
        if (s.kind == Source::gradient) return false;
        // An assigned state is identified by its new content.
        if (s.kind == Source::state && !input_assigned_[i] && array.body()->owner != s.body.get())
            return false;
    }
    take_scalars(call);
    return true;
}

void Replay::take_scalars(const FollowedCall& call) {
    auto next = call.numbers.cells().begin();
    for (size_t s = 0; s < scalars_.size(); ++s) {
        scalars_[s].value = call.numbers.values()[s];
        const bool is_cell = next != call.numbers.cells().end() && next->first == int(s);
        const Ref<Cell::Body> cell = is_cell ? (next++)->second : Ref<Cell::Body>();
        if (!(scalars_[s].cell == cell)) scalars_[s].cell = cell;
    }
}

bool Replay::applies(const Flat& arguments, const Program& program) const {
    if (code_changes_ != code_changes()) return false;
    for (size_t i = 0; i < inputs_.size(); ++i) {
        const Source& s = inputs_[i];
        if (s.kind == Source::gradient && (!s.body->grad || s.body->grad_consumed)) return false;
        const Array* array = s.kind == Source::state      ? &s.body->array
                             : s.kind == Source::gradient ? &s.body->grad->array
                                                          : nullptr;
        if (array &&
            (!array->defined() || array->body()->pending ||
             !(array->type() == program.input_type(i)) || &array->device() != &program.device()))
            return false;
    }
    for (const Read& r : reads_) {
        const VariableBody* body =
            r.body ? r.body.get() : arguments.variables[size_t(r.argument)].body();
        if (bool(body->grad) != r.found || body->grad_consumed != r.consumed) return false;
    }
    return std::ranges::all_of(
        facts_, [](const Fact& f) { return f.before == f.after && f.of->present() == f.before; });
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
    inputs.reserve(inputs_.size());
    for (const Source& s : inputs_) inputs.push_back(value_of(s, arguments, {}));
    SmallVector<bool, 64> donated;
    for (size_t i = 0; i < inputs_.size(); ++i)
        donated.push_back(inputs_[i].kind == Source::state && !program.graph() &&
                          !input_read_later_[i] && inputs[i].body()->use_count() == 2 &&
                          inputs[i].storage()->may_be_taken(1) && begins_its_storage(inputs[i]));
    SmallVector<double, 16> scalars;
    for (const Trace::ScalarSlot& slot : scalars_)
        scalars.push_back(slot.cell ? slot.cell->value : slot.value);
    std::vector<Array> outputs;
    try {
        RecorderScope unseen(nullptr);
        outputs = program.run(inputs, scalars, donated);
    } catch (const std::exception&) {
        if (program.sends_messages()) throw;  // Messages must not be sent twice.
        return false;
    }
    make_results(arguments, outputs, results);
    if (program.graph()) attach(arguments, program, tree, inputs, outputs, scalars, results);
    inputs.clear();
    SmallVector<Array, 8> values;  // Read all before writing any.
    for (const Effect& e : effects_) {
        const Array value = value_of(e.value, arguments, outputs);
        const bool is_kept =
            e.is_gradient || e.target(arguments.variables, results)->array == value;
        values.push_back(is_kept ? value : not_held(value));
    }
    outputs.clear();
    for (size_t i = 0; i < effects_.size(); ++i) {
        const Effect& e = effects_[i];
        const Variable v(Ref<VariableBody>(e.target(arguments.variables, results)));
        if (!e.is_gradient) {
            if (!(v.array() == values[i])) bind_state(*v.body(), values[i]);
            continue;
        }
        v.set_grad(values[i]);
        v.body()->grad_consumed = e.consumed;
    }
    return true;
}

void Replay::make_results(const Flat& arguments, std::span<const Array> outputs,
                          SmallVector<Variable, 4>& results) const {
    SmallVector<Variable, 2> used_up;
    for (size_t k = 0; k < variables_.size(); ++k) {
        const Result& r = variables_[k];
        if (r.kind != Result::made) {
            const Variable same = r.kind == Result::argument ? arguments.variables[size_t(r.index)]
                                  : r.kind == Result::state  ? Variable(r.body)
                                                             : results[size_t(r.index)];
            results.push_back(same);
        } else if (results_[k].kind == Source::none) {
            results.emplace_back();
        } else {
            results.emplace_back(value_of(results_[k], arguments, outputs), r.requires_grad);
            if (!r.name.empty()) results.back().set_name(r.name);
            if (r.is_used_up) used_up.push_back(results.back());
        }
    }
    if (!used_up.empty())
        attach_region(region_op(), {}, {}, used_up, std::make_unique<UsedUp>(region_, Reach()));
}

void Replay::attach(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree,
                    std::span<const Array> inputs, std::span<const Array> outputs,
                    std::span<const double> scalars, SmallVector<Variable, 4>& results) const {
    const GraphEnd& graph = *program.graph();
    SmallVector<Variable, 2> made;
    SmallVector<Edge, 4> border;
    SmallVector<Type, 2> types;
    for (int r : graph_results_) made.push_back(results[size_t(r)]);
    for (const Border& b : border_) {
        border.push_back(
            edge_of(b.state ? Variable(b.state) : arguments.variables[size_t(b.argument)]));
        types.push_back(b.type);
    }
    auto activation = std::make_unique<Activation>(tree, graph);
    activation->cells = cells_;
    program.keep_for_backward(*activation, inputs, outputs, scalars);
    attach_region(region_op(), border, types, made, std::move(activation));
}

}  // namespace catena::capture
