#include "frontend/capture/replay/call_description.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/graph/used_up.h"
#include "frontend/capture/path/pointer_table.h"
#include "frontend/capture/run/activation.h"
#include "frontend/capture/run/program.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"

namespace catena::capture {
namespace {

/// Tables of a thread, which stay because every followed call is described.
struct Tables {
    PointerTable first;                ///< Variables whose first change has been seen.
    PointerTable gradients, contents;  ///< Arrays before the call: the variables they belonged to,
                                       ///< by their place in `bodies`.
    std::vector<VariableBody*> bodies;
    PointerTable changed;    ///< Variables whose content the call changes.
    PointerTable arguments;  ///< Arguments by their arrays.
    PointerTable assigned;   ///< States that the call assigns.
    PointerTable passed_on;  ///< States whose old content is a result, or another's new content.
    PointerTable inputs;     ///< The program's inputs by their arrays.
    /// The index of each value among the program's outputs; -1 for others.
    std::vector<int> outputs;
    PointerTable held;     ///< Variables that hold arrays when the call is over.
    PointerTable holders;  ///< How many variables that hold arrays hold each one.
};

/// In the tables, the number of an array that two variables share.
constexpr int shared = -1;

Tables& tables() {
    static constinit PerThread<Tables> tables;
    return tables.get();
}

class Describer {
public:
    Describer(FollowedCall& call, const Activation* activation, const Program& program,
              const Flat& arguments, const Flat& results)
        : call_(call),
          activation_(activation),
          program_(program),
          arguments_(arguments),
          results_(results) {}

    CallDescription run() {
        made_.region = call_.rules.region;
        made_.scalars.resize(call_.numbers.values().size());
        made_.take_scalars(call_);
        find_inputs();
        find_places();
        find_ambiguities();
        find_effects();
        find_assigned_inputs();
        find_results();
        find_reads();
        find_facts();
        look_for_obstacles();
        return std::move(made_);
    }

private:
    using Source = CallDescription::Source;
    using Effect = CallDescription::Effect;
    using Result = CallDescription::Result;
    using Border = CallDescription::Border;

    /// Notes why a call cannot skip the code; of several reasons the last one is told.
    void refuse(std::string why) { made_.obstacle = std::move(why); }
    void find_inputs();
    void find_places();
    void find_ambiguities();
    void find_effects();
    void find_assigned_inputs();
    void find_results();
    void find_reads();
    void find_facts();
    void find_graph(const GraphEnd& graph);
    void look_for_obstacles();
    void look_for_held_arrays();
    Source from_outside(const Array& array);
    Source computed(int value);
    Source source_of(const Array& array);
    Result result_of(size_t k);

    FollowedCall& call_;
    const Activation* const activation_;
    const Program& program_;
    const Flat &arguments_, &results_;
    CallDescription made_;
    Tables& t_ = tables();
};

void Describer::find_inputs() {
    t_.gradients.clear();
    t_.contents.clear();
    t_.bodies.clear();
    const auto note = [&](PointerTable& table, const Array& before, VariableBody* body) {
        int& place = table.insert(before.body(), int(t_.bodies.size()));
        if (place == int(t_.bodies.size()))
            t_.bodies.push_back(body);
        else if (place != shared && t_.bodies[size_t(place)] != body)
            place = shared;
    };
    call_.effects.log().for_each_first_gradient(
        t_.first, [&](const Ref<VariableBody>& body, const Array& before, int) {
            if (before.defined()) note(t_.gradients, before, body.get());
        });
    for (const UndoLog::Read& r : call_.effects.log().reads())
        if (r.body->grad && !call_.values.is_pending(*r.body->grad->array.body()))
            note(t_.gradients, r.body->grad->array, r.body.get());
    t_.changed.clear();
    call_.effects.log().for_each_first_content(
        t_.first, [&](const Ref<VariableBody>& body, const Array& before, int) {
            t_.changed.insert(body.get(), 0);
            if (before.defined() && body->is_state) note(t_.contents, before, body.get());
        });
    made_.inputs.reserve(program_.plan().inputs().size());
    for (int v : program_.plan().inputs()) {
        if (v < int(arguments_.variables.size()))
            made_.inputs.push_back({.kind = Source::argument, .index = v});
        else
            made_.inputs.push_back(from_outside(call_.effects.original(call_.values.array(v))));
    }
    made_.input_read_later.resize(made_.inputs.size());
    made_.input_assigned.resize(made_.inputs.size());
}

/// An array from before the call. A state that the call assigns may have become its owner by now:
/// what counts is who held it when the call began.
CallDescription::Source Describer::from_outside(const Array& array) {
    const auto was = [&](PointerTable& table) {
        const int* place = table.find(array.body());
        if (place && *place == shared)
            refuse("it reads an array that is the gradient, or the content, of two variables");
        return place && *place != shared ? t_.bodies[size_t(*place)] : nullptr;
    };
    if (VariableBody* state = was(t_.contents))
        return {.kind = Source::state, .body = Ref<VariableBody>(state)};
    for (size_t k = 0; k < arguments_.variables.size(); ++k)
        if (arguments_.variables[k].defined() && arguments_.variables[k].array() == array)
            return {.kind = Source::argument, .index = int(k)};
    VariableBody* owner = array.body()->owner;
    if (owner && !t_.changed.find(owner))
        return {.kind = Source::state, .body = Ref<VariableBody>(owner)};
    if (VariableBody* of = was(t_.gradients))
        return {.kind = Source::gradient, .body = Ref<VariableBody>(of)};
    return {.kind = Source::captured, .array = array};
}

void Describer::find_places() {
    t_.inputs.clear();
    for (size_t i = 0; i < made_.inputs.size(); ++i)
        t_.inputs.insert(call_.values.array(program_.plan().inputs()[i]).body(), int(i));
    t_.outputs.clear();
    for (size_t i = 0; i < program_.plan().outputs().size(); ++i) {
        if (!program_.plan().is_referenced(i)) continue;  // It is kept for backward only.
        const auto v = size_t(program_.plan().outputs()[i]);
        if (v >= t_.outputs.size()) t_.outputs.resize(v + 1, -1);
        if (t_.outputs[v] < 0) t_.outputs[v] = int(i);
    }
}

/// A view is made of the array whose memory it shows, unless it is computed in its place.
CallDescription::Source Describer::computed(int value) {
    const auto place_of = [&](int v) {
        const std::vector<int>& places = t_.outputs;
        return size_t(v) < places.size() ? places[size_t(v)] : -1;
    };
    int base = -1;
    std::vector<const Step*> views = call_.values.view_steps(value, base);
    Source source;
    if (!call_.values.is_computed(base))
        source = source_of(call_.values.array(base));
    else if (const int place = place_of(base); place >= 0)
        source = {.kind = Source::output, .index = place};
    else
        source = {.kind = Source::output, .index = place_of(value)};
    if (!call_.values.is_computed(base) || place_of(base) >= 0) source.views = std::move(views);
    CATENA_ASSERT(source.kind != Source::output || source.index >= 0,
                  "a program does not compute what is referenced");
    source.value = value;
    return source;
}

CallDescription::Source Describer::source_of(const Array& array) {
    if (!array.defined()) return {};
    if (call_.values.is_pending(*array.body())) return computed(array.body()->value);
    if (const int* i = t_.inputs.find(array.body())) return made_.inputs[size_t(*i)];
    return from_outside(call_.effects.original(array));
}

/// Two arguments that are one array have one input in the recording. (Calls that skip the code have
/// another key where they are two.)
void Describer::find_ambiguities() {
    PointerTable& places = t_.arguments;
    places.clear();
    for (size_t k = 0; k < arguments_.variables.size(); ++k) {
        const Variable& x = arguments_.variables[k];
        if (!x.defined() || !x.array().defined()) continue;
        const int first = places.insert(x.array().body(), int(k));
        if (first != int(k))
            made_.ambiguity =
                fmt::format("arguments {} and {} were one array when it was called", first, k);
    }
}

void Describer::find_effects() {
    const auto is_made = [&](const VariableBody& body) {
        return !body.is_state && body.array.defined() &&
               call_.values.is_pending(*body.array.body());
    };
    made_.effects.reserve(made_.inputs.size());
    auto add = [&](const Ref<VariableBody>& body, bool is_gradient) {
        Effect effect{.is_gradient = is_gradient};
        for (size_t k = 0; k < arguments_.variables.size(); ++k)
            if (arguments_.variables[k].body() == body.get()) effect.argument = int(k);
        // A loss is another variable at every call.
        for (size_t k = 0; effect.argument < 0 && is_made(*body) && k < results_.variables.size();
             ++k)
            if (results_.variables[k].body() == body.get()) effect.result = int(k);
        if (effect.argument < 0 && effect.result < 0) effect.body = body;
        if (!is_gradient)
            effect.value = source_of(body->array);
        else if (body->grad_consumed)
            effect.consumed = true;
        else if (body->grad)
            effect.value = source_of(body->grad->array);
        made_.effects.push_back(std::move(effect));
    };
    call_.effects.log().for_each_first_gradient(
        t_.first, [&](const Ref<VariableBody>& body, const Array&, int) { add(body, true); });
    call_.effects.log().for_each_first_content(
        t_.first, [&](const Ref<VariableBody>& body, const Array&, int) {
            if (body->is_state)
                add(body, false);
            else
                refuse("the code assigns an array to a variable that is not a State");
        });
}

void Describer::find_assigned_inputs() {
    PointerTable& assigned = t_.assigned;
    assigned.clear();
    for (const Effect& e : made_.effects)
        if (!e.is_gradient && e.body) assigned.insert(e.body.get(), 0);
    for (size_t i = 0; i < made_.inputs.size(); ++i)
        if (made_.inputs[i].kind == Source::state && assigned.find(made_.inputs[i].body.get()))
            made_.input_assigned[i] = 1;
}

/// A result that later calls cannot make is an obstacle.
CallDescription::Result Describer::result_of(size_t k) {
    const Variable& y = results_.variables[k];
    if (!y.defined()) return {};
    const auto is_y = [&](const Variable& other) { return other.body() == y.body(); };
    const auto place_in = [&](const auto& list, size_t end) {
        return int(std::find_if(list.begin(), list.begin() + ptrdiff_t(end), is_y) - list.begin());
    };
    if (const int j = place_in(results_.variables, k); j < int(k))
        return {.kind = Result::earlier, .index = j};
    const int a = place_in(arguments_.variables, arguments_.variables.size());
    if (a < int(arguments_.variables.size())) return {.kind = Result::argument, .index = a};
    const VariableBody& body = *y.body();
    if (body.is_state) return {.kind = Result::state, .body = y.ref()};
    Result made{.name = y.name()};
    const bool is_computed = made_.results[k].value >= 0;
    if (const Node* creator = body.creator.get()) {
        made.is_used_up =
            dynamic_cast<const UsedUp*>(creator->region.get()) && creator->edges.empty();
        if (!made.is_used_up && (!activation_ || creator->region.get() != activation_))
            refuse("a result has a graph from outside");
    } else if (body.alias_of) {
        refuse("a result stands for a variable from outside");
    } else {
        made.requires_grad = body.requires_grad;
        // An array among the results belongs to a variable that only this list holds.
        if (!is_computed && (made.requires_grad ||
                             (made_.results[k].kind == Source::captured && body.use_count() > 1)))
            refuse(
                "a result is a variable that it has not computed, and no argument, parameter or "
                "other state");
    }
    return made;
}

void Describer::find_results() {
    for (const Variable& y : results_.variables) {
        Source source = y.defined() ? source_of(y.array()) : Source();
        for (size_t k = 0; y.defined() && k < arguments_.variables.size(); ++k)
            if (arguments_.variables[k].body() == y.body())
                source = {.kind = Source::argument, .index = int(k)};
        made_.results.push_back(std::move(source));
    }
    for (size_t k = 0; k < made_.results.size(); ++k) made_.variables.push_back(result_of(k));
    PointerTable& kept = t_.passed_on;
    kept.clear();
    auto keep = [&](const Source& s) {
        if (s.kind == Source::state) kept.insert(s.body.get(), 0);
    };
    for (const Source& s : made_.results) keep(s);
    for (const Effect& e : made_.effects) keep(e.value);
    for (size_t i = 0; i < made_.inputs.size(); ++i)
        if (made_.inputs[i].kind == Source::state && kept.find(made_.inputs[i].body.get()))
            made_.input_read_later[i] = 1;
}

void Describer::find_reads() {
    for (const UndoLog::Read& r : call_.effects.log().reads()) {
        const auto its = std::ranges::find_if(
            arguments_.variables, [&](const Variable& x) { return x.body() == r.body.get(); });
        if (its == arguments_.variables.end())
            made_.reads.push_back({.body = r.body, .found = r.found, .consumed = r.consumed});
        else
            made_.reads.push_back({.argument = int(its - arguments_.variables.begin()),
                                   .found = r.found,
                                   .consumed = r.consumed});
    }
}

/// What the code asked of the host, and the graph that recurrent states are left with.
void Describer::find_facts() {
    for (const auto& [fact, before] : call_.effects.facts())
        made_.facts.push_back({fact, before, fact->present()});
    for (const Effects::StandIn& s : call_.effects.stand_ins())
        if (s.second->creator)
            refuse(
                "a recurrent state keeps its graph for the next call (unchain_backward cuts it)");
}

/// The graph of the results that later calls make must be this call's, edge by edge.
void Describer::find_graph(const GraphEnd& graph) {
    made_.graph_results.assign(graph.forward.outputs.size(), -1);
    const Node* node = nullptr;
    for (size_t k = results_.variables.size(); k-- > 0;) {
        const VariableBody* body = results_.variables[k].body();
        if (!body || !body->creator || !activation_ || body->creator->region.get() != activation_)
            continue;
        node = body->creator.get();
        made_.graph_results[size_t(body->output_index)] = int(k);
    }
    if (std::ranges::count(made_.graph_results, -1) > 0)
        refuse("a variable with a graph that is not a result is still referenced");
    if (!node) return;
    made_.cells = activation_->cells;
    for (size_t i = 0; i < node->edges.size(); ++i) {
        const Edge& edge = node->edges[i];
        Border& border = made_.border.emplace_back(Border{.type = node->input_types[i]});
        if (edge.leaf && edge.leaf->is_state) border.state = edge.leaf;
        for (size_t k = 0; k < arguments_.variables.size() && border.argument < 0; ++k)
            if (same_edge(edge_of(arguments_.variables[k]), edge)) border.argument = int(k);
        if (!border.state && border.argument < 0)
            refuse("gradients flow to a variable that is no argument, parameter or other state");
    }
}

void Describer::look_for_obstacles() {
    if (program_.plan().graph()) find_graph(*program_.plan().graph());
    for (const Source& s : made_.inputs)
        for (const Variable& x : arguments_.variables)
            if (s.kind == Source::gradient && s.body.get() == x.body())
                refuse("it reads the gradient that an argument came with");
    look_for_held_arrays();
    if (call_.cursor.cuts() > 0) refuse("the host reads a computed value in it");
    if (call_.effects.needs_code()) refuse(call_.effects.needs_code());
}

/// All owners of computed arrays: the call itself, results, states and gradients.
void Describer::look_for_held_arrays() {
    t_.holders.clear();
    t_.held.clear();
    auto hold = [&](const VariableBody* body) {
        if (body && t_.held.insert(body, 0)++ == 0) ++t_.holders.insert(body->array.body(), 0);
    };
    for (const Variable& y : results_.variables) hold(y.body());
    for (const Effects::StandIn& s : call_.effects.stand_ins()) hold(s.second.get());
    for (const Effect& e : made_.effects) {
        const VariableBody* body = e.target(arguments_.variables, results_.variables);
        hold(body);
        hold(body->grad.get());
    }
    std::vector<int> values = program_.plan().outputs(), views = call_.values.live_views();
    values.insert(values.end(), views.begin(), views.end());
    for (int v : values) {
        const ArrayBody* array = call_.values.array(v).body();
        const int* known = t_.holders.find(array);
        if (array->use_count() > 1 + uint32_t(known ? *known : 0))
            refuse(fmt::format(
                "the code computes an array ({}) that is still referenced, but no result, state or "
                "gradient",
                to_string(array->type)));
    }
}

}  // namespace

void CallDescription::take_scalars(const FollowedCall& call) {
    auto next = call.numbers.cells().begin();
    for (size_t s = 0; s < scalars.size(); ++s) {
        scalars[s].value = call.numbers.values()[s];
        const bool is_cell = next != call.numbers.cells().end() && next->first == int(s);
        const Ref<Cell::Body> cell = is_cell ? (next++)->second : Ref<Cell::Body>();
        if (!(scalars[s].cell == cell)) scalars[s].cell = cell;
    }
}

CallDescription describe(FollowedCall& call, const Activation* activation, const Program& program,
                         const Flat& arguments, const Flat& results) {
    return Describer(call, activation, program, arguments, results).run();
}

}  // namespace catena::capture
