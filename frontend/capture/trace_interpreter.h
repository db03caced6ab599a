#pragma once

#include <span>
#include <vector>

#include "runtime/graph/trace.h"

namespace catena::capture {

/// Runs a program with the eager kernels. Outputs as for Executable: those of the trace, then the assigned values.
void interpret_trace(const Trace& trace, std::vector<Array> inputs, std::span<const double> scalars, std::span<Array> outputs);

}  // namespace catena::capture
