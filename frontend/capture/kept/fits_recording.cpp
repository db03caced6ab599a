#include "frontend/capture/kept/fits_recording.h"

#include <algorithm>

#include "runtime/ops/declare/border.h"

namespace catena::capture {
namespace {

using program::Schedule;

bool are_below(const std::vector<int>& numbers, size_t count) {
    return std::ranges::all_of(numbers,
                               [&](int number) { return number >= 0 && size_t(number) < count; });
}

const Type& type_of(const program::Result& result, const Schedule& schedule) {
    return result.input >= 0 ? schedule.input_types[size_t(result.input)] : result.view.type;
}

/// Inputs as the recording's, and results as its outputs and then what it assigns.
bool has_its_types(const Schedule& schedule, const Trace& trace) {
    if (schedule.input_types.size() != trace.inputs.size() ||
        schedule.results.size() != trace.outputs.size() + trace.assigns.size())
        return false;
    for (size_t i = 0; i < trace.inputs.size(); ++i)
        if (schedule.input_types[i] != trace.values[size_t(trace.inputs[i])].type) return false;
    for (size_t r = 0; r < schedule.results.size(); ++r) {
        const int value = r < trace.outputs.size() ? trace.outputs[r]
                                                   : trace.assigns[r - trace.outputs.size()].value;
        if (type_of(schedule.results[r], schedule) != trace.values[size_t(value)].type)
            return false;
    }
    return true;
}

bool has_its_border(const Schedule& schedule, const Trace& trace) {
    const std::optional<Border> border = border_of(trace);
    const program::Cut& cut = schedule.cut;
    if (!border || cut.launch < 0) return !border && cut.launch < 0;
    return cut.inputs == border->inputs && cut.outputs == border->outputs &&
           size_t(cut.assigns) == trace.assigns.size();
}

}  // namespace

bool fits_recording(const Schedule& schedule, const Trace& trace) {
    const auto knows = [&](const auto& launched) {
        return are_below(launched.scalars, trace.scalars.size()) &&
               are_below(launched.steps, trace.steps.size());
    };
    return has_its_types(schedule, trace) && has_its_border(schedule, trace) &&
           std::ranges::all_of(schedule.kernels, knows) &&
           std::ranges::all_of(schedule.library_calls, knows);
}

}  // namespace catena::capture
