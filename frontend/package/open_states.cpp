#include "frontend/package/open_states.h"

#include <algorithm>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

const Trace::Value& value_of(const ExportedProgram& program, size_t state) {
    return program.trace.values[size_t(program.states[state])];
}

bool is_read(const ExportedProgram& program, size_t state) {
    const int value = program.states[state];
    auto has = [&](const std::vector<int>& values) {
        return std::find(values.begin(), values.end(), value) != values.end();
    };
    return has(program.trace.outputs) ||
           std::any_of(program.trace.steps.begin(), program.trace.steps.end(),
                       [&](const Trace::Step& step) { return has(step.inputs); }) ||
           std::any_of(program.trace.assigns.begin(), program.trace.assigns.end(),
                       [&](const Trace::Assign& assign) { return assign.value == value; }) ||
           std::any_of(program.results.begin(), program.results.end(),
                       [&](const ExportedProgram::Value& result) {
                           return result.kind == ExportedProgram::Value::state &&
                                  result.index == int(state);
                       });
}

void leave_out(ExportedProgram& program, size_t state) {
    const int value = program.states[state], index = int(state);
    std::vector<int>& inputs = program.trace.inputs;
    if (auto found = std::find(inputs.begin(), inputs.end(), value); found != inputs.end()) {
        program.sources.erase(program.sources.begin() + (found - inputs.begin()));
        inputs.erase(found);
    }
    if (auto found = std::find(program.assigned.begin(), program.assigned.end(), index);
        found != program.assigned.end()) {
        program.trace.assigns.erase(program.trace.assigns.begin() +
                                    (found - program.assigned.begin()));
        program.assigned.erase(found);
    }
    program.states.erase(program.states.begin() + std::ptrdiff_t(state));
    for (int& other : program.assigned) other -= other > index;
    for (auto* values : {&program.sources, &program.results})
        for (ExportedProgram::Value& other : *values)
            if (other.kind == ExportedProgram::Value::state) other.index -= other.index > index;
}

}  // namespace

void leave_out_open_states(std::span<ExportedProgram> programs) {
    const ExportedProgram& first = programs[0];
    for (const ExportedProgram& other : programs)
        if (other.states.size() != first.states.size())
            fail<ValueError>("save: the number of states differs at other open sizes: {} or {}",
                             first.states.size(), other.states.size());
    for (size_t state = first.states.size(); state-- > 0;) {
        const auto other =
            std::find_if(programs.begin(), programs.end(), [&](const ExportedProgram& program) {
                return !(value_of(program, state).type == value_of(first, state).type);
            });
        if (other == programs.end()) continue;
        if (is_read(first, state))
            fail<ValueError>(
                "save: state '{}' is {} or {} at different open sizes, and a file can hold only "
                "one "
                "of them; call reset_state() in the region, or do not leave that size open",
                value_of(first, state).name, to_string(value_of(first, state).type),
                to_string(value_of(*other, state).type));
        for (ExportedProgram& program : programs) leave_out(program, state);
    }
}

}  // namespace catena
