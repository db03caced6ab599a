#include "frontend/capture/run/exact_results.h"

#include <algorithm>

#include "frontend/capture/run/trace_interpreter.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/op.h"

namespace catena::capture {
namespace {

Array widened(const Array& array) {
    return array.defined() && is_float(array.dtype()) ? array.astype(Dtype::float64) : array;
}

/// Operations that are told the dtype of their results are told another.
Attributes widened(const Attributes& attributes) {
    std::vector<Attributes::Entry> entries;
    for (const Attributes::Entry& entry : attributes.entries()) {
        entries.push_back(entry);
        const auto* text = std::get_if<std::string>(&entry.value);
        if (text && (*text == "float32" || *text == "float16" || *text == "bfloat16"))
            entries.back().value = std::string("float64");
    }
    return Attributes(std::move(entries));
}

}  // namespace

std::optional<std::vector<Array>> exact_results(const Trace& trace, std::span<const Array> inputs,
                                                std::span<const double> scalars) {
    std::vector<Array> wide;
    for (const Array& array : inputs) wide.push_back(widened(array));
    const auto compute = [&](const Trace::Step& step, std::span<const Array> operands,
                             std::span<const double> numbers) {
        if (std::ranges::any_of(operands,
                                [](const Array& x) { return x.defined() && is_float(x.dtype()); }))
            return run_kernel(*step.op, operands, widened(step.attributes), numbers);
        Arrays results = run_kernel(*step.op, operands, step.attributes, numbers);
        for (Array& result : results) result = widened(result);
        return results;
    };
    std::vector<Array> outputs(trace.outputs.size() + trace.assigns.size());
    try {
        interpret_trace(trace, std::move(wide), scalars, outputs, compute);
    } catch (const Error&) {
        return std::nullopt;
    }
    const auto is_wide = [](const Array& x) {
        return !is_float(x.dtype()) || x.dtype() == Dtype::float64;
    };
    return std::ranges::all_of(outputs, is_wide) ? std::optional(std::move(outputs)) : std::nullopt;
}

}  // namespace catena::capture
