#include "runtime/graph/trace/dot.h"

#include <fmt/format.h>

namespace catena {
namespace {

std::string quoted(const std::string& text) { return '"' + dot_escaped(text) + '"'; }

std::string describe_input(const Trace::Value& value) {
    if (!value.name.empty()) return value.name;
    switch (value.role) {
        case Trace::Role::argument:
            return "argument";
        case Trace::Role::state:
            return "state";
        case Trace::Role::gradient:
            return "gradient";
        default:
            return "constant";
    }
}

}  // namespace

std::string to_dot(const Trace& trace) {
    std::string text = fmt::format("digraph {} {{\n  node [shape=box];\n", quoted(trace.name));
    std::vector<std::string> source(trace.values.size());  // The DOT node that gives each value.
    for (int v : trace.inputs) {
        const Trace::Value& value = trace.values[size_t(v)];
        source[size_t(v)] = fmt::format("v{}", v);
        text += fmt::format("  v{} [shape=ellipse, label={}];\n", v,
                            quoted(describe_input(value) + " " + to_string(value.type)));
    }
    const auto edge = [&](int value, const std::string& to) {
        return fmt::format("  {} -> {} [label={}];\n", source[size_t(value)], to,
                           quoted(to_string(trace.values[size_t(value)].type)));
    };
    for (size_t s = 0; s < trace.steps.size(); ++s) {
        const Trace::Step& step = trace.steps[s];
        const std::string node = fmt::format("s{}", s), line = to_string(step.location);
        text += fmt::format("  {} [label={}];\n", node,
                            quoted(line.empty() ? step.op->name : step.op->name + " " + line));
        for (int v : step.inputs) text += edge(v, node);
        for (int v : step.outputs) source[size_t(v)] = node;
    }
    for (size_t i = 0; i < trace.outputs.size(); ++i) {
        text += fmt::format("  y{} [shape=ellipse, label=\"output {}\"];\n", i, i);
        text += edge(trace.outputs[i], fmt::format("y{}", i));
    }
    for (const Trace::Assign& assign : trace.assigns)
        text += fmt::format("  {} -> {} [style=dashed, label=assign];\n",
                            source[size_t(assign.value)], source[size_t(assign.target)]);
    return text + "}\n";
}

std::string dot_escaped(const std::string& text) {
    std::string result;
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

}  // namespace catena
