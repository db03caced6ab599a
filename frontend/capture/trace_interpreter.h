#pragma once

#include <span>
#include <vector>

#include "runtime/graph/trace.h"

namespace catena::capture {

/// Runs a program by the eager kernels. Outputs as an Executable's: those of the trace, then what is assigned.
void interpret_trace(const Trace& trace, std::vector<Array> inputs, std::span<const double> scalars, std::span<Array> outputs);

}  // namespace catena::capture
