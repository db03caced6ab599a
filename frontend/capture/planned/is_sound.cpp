#include "frontend/capture/planned/is_sound.h"

#include "runtime/core/system/error.h"
#include "runtime/program/schedule/check_lifetimes.h"
#include "runtime/program/schedule/check_schedule.h"

namespace catena::capture {

bool is_sound(const program::Schedule& schedule, const Trace& trace) {
    if (schedule.input_types.size() != trace.inputs.size() ||
        schedule.results.size() != trace.outputs.size() + trace.assigns.size())
        return false;
    auto type = [&](int v) -> const Type& { return trace.values[size_t(v)].type; };
    for (size_t i = 0; i < trace.inputs.size(); ++i)
        if (!(schedule.input_types[i] == type(trace.inputs[i]))) return false;
    for (size_t r = 0; r < schedule.results.size(); ++r) {
        const program::Result& result = schedule.results[r];
        const int v = r < trace.outputs.size() ? trace.outputs[r]
                                               : trace.assigns[r - trace.outputs.size()].value;
        if (!((result.input >= 0 ? schedule.input_types[size_t(result.input)] : result.view.type) ==
              type(v)))
            return false;
    }
    try {
        program::check_schedule(schedule);
        program::check_lifetimes(schedule);
    } catch (const Error&) {
        return false;
    } catch (const InternalError&) {
        return false;
    }
    return true;
}

}  // namespace catena::capture
