#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/graph/trace.h"

namespace catena::capture {

/// Runs a program with the eager kernels. Outputs as for Executable: those of the trace, then the
/// assigned values. `compute`: gives the results of a step; null: its kernel does.
using ComputeStep = std::function<Arrays(const Trace::Step& step, std::span<const Array> operands,
                                         std::span<const double> numbers)>;
void interpret_trace(const Trace& trace, std::vector<Array> inputs, std::span<const double> scalars,
                     std::span<Array> outputs, const ComputeStep& compute = nullptr);

}  // namespace catena::capture
