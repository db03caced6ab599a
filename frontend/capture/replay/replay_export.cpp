// A call as a program for a file.
#include <algorithm>

#include "frontend/capture/replay/replay.h"
#include "frontend/capture/run/program.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"

namespace catena::capture {
namespace {

using Source = CallDescription::Source;

int index_in(std::vector<int>& list, int value) {
    auto found = std::find(list.begin(), list.end(), value);
    if (found != list.end()) return int(found - list.begin());
    list.push_back(value);
    return int(list.size()) - 1;
}

std::string quoted_name(const VariableBody& body) { return body.name ? *body.name : "a variable"; }

bool same_source(const Source& a, const Source& b) {
    return a.kind == b.kind && a.body == b.body &&
           (a.kind != Source::argument || a.index == b.index) &&
           (a.kind != Source::captured || a.array == b.array);
}

Trace::Role role_of(Source::Kind kind) {
    return kind == Source::argument ? Trace::Role::argument
           : kind == Source::state  ? Trace::Role::state
                                    : Trace::Role::captured;
}

void refuse_gradients(const CallDescription& call) {
    const std::string& region = call.region;
    for (const CallDescription::Effect& e : call.effects) {
        if (!e.is_gradient || e.consumed || e.value.kind == Source::none) continue;
        if (e.result >= 0)
            fail<ValueError>(
                "save: region {} leaves a gradient in result {}, which cannot be saved; clear it "
                "(cleargrad)",
                region, e.result);
        if (!e.body)
            fail<ValueError>(
                "save: region {} leaves a gradient in argument {}, which cannot be saved; pass it "
                "as one that "
                "wants none: Variable(array, false)",
                region, e.argument);
        fail<ValueError>(
            "save: region {} leaves a gradient in '{}', which cannot be saved; use it inside the "
            "region "
            "(optimizer.update) or clear it",
            region, quoted_name(*e.body));
    }
}

/// The sources of the trace's inputs. A state that was read before and after another took its
/// content came in as two arrays: they become one input.
std::vector<Source> merge_inputs(const CallDescription& call, Trace& trace) {
    std::vector<Source> read;
    std::vector<int> inputs, place(trace.values.size());
    for (size_t v = 0; v < place.size(); ++v) place[v] = int(v);
    for (size_t i = 0; i < call.inputs.size(); ++i) {
        const auto known = std::ranges::find_if(
            read, [&](const Source& s) { return same_source(s, call.inputs[i]); });
        if (known != read.end()) {
            place[size_t(trace.inputs[i])] = inputs[size_t(known - read.begin())];
            continue;
        }
        read.push_back(call.inputs[i]);
        inputs.push_back(trace.inputs[i]);
    }
    trace.inputs = inputs;
    for (Trace::Step& step : trace.steps)
        for (int& v : step.inputs) v = place[size_t(v)];
    return read;
}

}  // namespace

ExportedProgram Replay::exported(const Program& program) const {
    using Value = ExportedProgram::Value;
    if (!call_.ambiguity.empty())
        fail<ValueError>(
            "save: region {}: {}, so that it cannot be told which of them the program reads; call "
            "it with arrays of their "
            "own (copy(x)) before it is saved",
            call_.region, call_.ambiguity);
    // Whatever was empty then is empty for the program at each run.
    if (std::ranges::any_of(call_.facts,
                            [](const CallDescription::Fact& f) { return f.before != f.after; }))
        say(LogLevel::warning,
            fmt::format("save: region {}: a recurrent link was empty, or had another history, at "
                        "the last call, and so it is at each run of the package; call the region "
                        "once more for a package that goes on from the link's state",
                        call_.region));
    ExportedProgram made;
    made.trace = *program.compiled().forward();
    made.trace.outputs.clear();
    made.trace.assigns.clear();
    made.trace.scalars = call_.scalars;
    const std::string& region = made.trace.name;
    refuse_gradients(call_);
    std::vector<Source> read = merge_inputs(call_, made.trace);
    for (size_t i = 0; i < read.size(); ++i) {
        Trace::Value& value = made.trace.values[size_t(made.trace.inputs[i])];
        const Source& s = read[i];
        if (s.kind == Source::gradient) continue;
        value.role = role_of(s.kind);
        if (s.kind == Source::captured) value.captured = s.array;
        if (s.kind != Source::state) continue;
        value.state = s.body;
        if (s.body->name) value.name = *s.body->name;
    }
    auto value_at = [&](int v, const Source& s) -> Value {
        if (s.value >= 0) return {Value::result, index_in(made.trace.outputs, s.value)};
        switch (s.kind) {
            case Source::argument:
                return {Value::argument, s.index};
            case Source::state:
                return {Value::state, index_in(made.states, v)};
            case Source::captured:
                return {Value::constant, index_in(made.constants, v)};
            case Source::gradient:
                fail<ValueError>(
                    "save: region {} accumulates into an existing gradient ('{}'), which cannot be "
                    "saved; clear it "
                    "in the region (cleargrads)",
                    region, quoted_name(*s.body));
            default:
                throw InternalError("save: a value of nowhere");
        }
    };
    for (size_t i = 0; i < read.size(); ++i)
        made.sources.push_back(value_at(made.trace.inputs[i], read[i]));
    // What is passed on without being computed with becomes an input as well.
    const auto input_of = [&](const Source& s, const Type& type) {
        for (size_t i = 0; i < read.size(); ++i)
            if (same_source(read[i], s)) return made.trace.inputs[i];
        const int v = int(made.trace.values.size());
        Trace::Value& value = made.trace.values.emplace_back(
            Trace::Value{.type = type, .role = role_of(s.kind), .state = s.body});
        if (s.kind == Source::captured) value.captured = s.array;
        if (s.body && s.body->name) value.name = *s.body->name;
        made.trace.inputs.push_back(v);
        made.sources.push_back(value_at(v, s));
        read.push_back(s);
        return v;
    };
    for (const Source& s : call_.results) {
        if (s.kind == Source::none)
            fail<ValueError>("save: region {} returns a variable that is not defined", region);
        const bool is_held = s.value < 0 && (s.kind == Source::state || s.kind == Source::captured);
        made.results.push_back(value_at(
            is_held ? input_of(s, s.body ? s.body->array.type() : s.array.type()) : -1, s));
    }
    for (const CallDescription::Effect& e : call_.effects) {
        if (e.is_gradient ||
            (e.value.value < 0 && e.value.kind == Source::state && e.value.body == e.body))
            continue;
        if (!e.body) fail<ValueError>("save: region {} assigns an array to an argument", region);
        const Type& type = e.body->array.type();
        const int target = input_of({.kind = Source::state, .body = e.body}, type);
        const int value = e.value.value >= 0 ? e.value.value : input_of(e.value, type);
        made.trace.assigns.push_back({target, value});
        made.assigned.push_back(index_in(made.states, target));
    }
    return made;
}

}  // namespace catena::capture
