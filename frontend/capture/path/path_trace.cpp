#include "frontend/capture/path/path_trace.h"

namespace catena::capture {

Trace trace_of_path(const Tree& tree, const Segment& segment, const Step* last,
                    const std::string& name, std::span<const double> scalars) {
    Trace trace;
    trace.name = name;
    const int first = segment.first_value;
    for (int k = 0; k < segment.arguments; ++k)
        trace.values.push_back({.type = tree.arguments[size_t(k)],
                                .role = Trace::Role::argument,
                                .name = "x" + std::to_string(k)});
    for (double value : scalars) trace.scalars.push_back({value, {}});
    std::vector<char> read(size_t(segment.arguments));
    const std::vector<const Step*> steps = steps_to(last);
    trace.steps.reserve(steps.size());
    if (last) trace.values.reserve(size_t(last->end_value - first));
    for (const Step* step : steps) {
        for (const Step::Input& input : step->inputs())
            trace.values.push_back(
                {.type = input.type,
                 .role = input.is_state ? Trace::Role::state : Trace::Role::captured,
                 .name = input.name});
        Trace::Step made;
        made.op = step->call->op;
        made.attributes = step->call->attributes;
        made.location = step->call->location;
        made.function = step->call->function;
        for (int v : step->operands()) {
            made.inputs.push_back(v - first);
            if (v - first < segment.arguments) read[size_t(v - first)] = 1;
        }
        for (const Type& type : step->outputs()) {
            made.outputs.push_back(int(trace.values.size()));
            trace.values.push_back({.type = type});
        }
        for (size_t k = 0; k < step->scalars().size(); ++k) {
            made.scalars.push_back(step->scalars()[k]);
            if (Cell::Body* cell = step->cell(k))
                trace.scalars[size_t(step->scalars()[k])].cell = Ref<Cell::Body>(cell);
        }
        trace.steps.push_back(std::move(made));
    }
    for (int k = 0; k < segment.arguments; ++k)
        if (read[size_t(k)]) trace.inputs.push_back(k);
    for (int v = segment.arguments; v < int(trace.values.size()); ++v)
        if (trace.values[size_t(v)].role != Trace::Role::computed) trace.inputs.push_back(v);
    return trace;
}

std::vector<const Type*> input_types_of_path(const Tree& tree, const Segment& segment,
                                             const Step* last, std::span<const int> values) {
    std::vector<const Type*> by_value(
        size_t(last ? last->end_value : segment.first_value + segment.arguments));
    for (int k = 0; k < segment.arguments; ++k)
        by_value[size_t(segment.first_value + k)] = &tree.arguments[size_t(k)];
    for (const Step* step = last; step; step = step->previous)
        for (size_t i = 0; i < step->inputs().size(); ++i)
            by_value[size_t(step->first_value) + i] = &step->inputs()[i].type;
    std::vector<const Type*> types;
    for (int v : values) types.push_back(by_value[size_t(v)]);
    return types;
}

size_t bytes_of(const Trace& trace) {
    size_t bytes = trace.values.size() * sizeof(Trace::Value) +
                   trace.scalars.size() * sizeof(Trace::ScalarSlot);
    for (const Trace::Step& step : trace.steps)
        bytes += sizeof(step) +
                 (step.inputs.size() + step.outputs.size() + step.scalars.size()) * sizeof(int) +
                 step.attributes.entries().size() * sizeof(Attributes::Entry);
    return bytes;
}

}  // namespace catena::capture
