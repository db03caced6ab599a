#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/graph/trace/trace.h"

namespace catena::capture {

/// The results of interpret_trace() with all floating-point numbers in float64, against which
/// rounding errors are measured. An operation without floating-point operands, such as a random
/// generator, runs in its own dtype, and its results are widened. Nothing where an operation does
/// not compute in float64.
std::optional<std::vector<Array>> exact_results(const Trace& trace, std::span<const Array> inputs,
                                                std::span<const double> scalars);

}  // namespace catena::capture
