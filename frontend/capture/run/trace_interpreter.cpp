#include "frontend/capture/run/trace_interpreter.h"

#include "runtime/core/array/device.h"
#include "runtime/graph/call/check_nan.h"
#include "runtime/graph/settings/config.h"

namespace catena::capture {

void interpret_trace(const Trace& trace, std::vector<Array> inputs, std::span<const double> scalars,
                     std::span<Array> outputs, const ComputeStep& compute) {
    std::vector<Array> values(trace.values.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        values[size_t(trace.inputs[i])] = std::move(inputs[i]);
    std::vector<int> last_use(trace.values.size(), -1);
    for (size_t s = 0; s < trace.steps.size(); ++s)
        for (int v : trace.steps[s].inputs) last_use[size_t(v)] = int(s);
    const int beyond = int(trace.steps.size());
    for (int v : trace.outputs) last_use[size_t(v)] = beyond;
    for (const Trace::Assign& a : trace.assigns) last_use[size_t(a.value)] = beyond;
    SmallVector<Array, 4> operands;
    SmallVector<double, 4> numbers;
    for (size_t s = 0; s < trace.steps.size(); ++s) {
        const Trace::Step& step = trace.steps[s];
        LocationScope at(step.location);
        operands.clear();
        numbers.clear();
        for (int v : step.inputs) operands.push_back(values[size_t(v)]);
        for (int n : step.scalars) numbers.push_back(scalars[size_t(n)]);
        const DeviceScope beside(operands.empty() ? current_device() : operands[0].device());
        Arrays results = compute ? compute(step, operands, numbers)
                                 : run_kernel(*step.op, operands, step.attributes, numbers);
        if (config().debug) check_nan(*step.op, results);
        for (size_t o = 0; o < step.outputs.size(); ++o)
            values[size_t(step.outputs[o])] = std::move(results[o]);
        for (int v : step.inputs)
            if (last_use[size_t(v)] <= int(s)) values[size_t(v)] = Array();
    }
    for (size_t o = 0; o < trace.outputs.size(); ++o)
        outputs[o] = values[size_t(trace.outputs[o])].as_contiguous();
    for (size_t a = 0; a < trace.assigns.size(); ++a)
        outputs[trace.outputs.size() + a] = values[size_t(trace.assigns[a].value)].as_contiguous();
}

}  // namespace catena::capture
