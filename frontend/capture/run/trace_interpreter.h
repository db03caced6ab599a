#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/graph/trace/trace.h"

namespace catena::capture {

/// A function that computes a step's results instead of its kernel, for interpret_trace(), which
/// runs a program with the eager kernels; null: the kernel. Outputs are as for Executable: those of
/// the trace, then the assigned values.
using ComputeStep = std::function<Arrays(const Trace::Step& step, std::span<const Array> operands,
                                         std::span<const double> numbers)>;
void interpret_trace(const Trace& trace, std::vector<Array> inputs, std::span<const double> scalars,
                     std::span<Array> outputs, const ComputeStep& compute = nullptr);

}  // namespace catena::capture
