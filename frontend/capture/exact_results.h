#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/graph/trace.h"

namespace catena::capture {

/// What interpret_trace() gives if all floating-point numbers are float64: how far from it other
/// results are is their rounding. What an operation makes without floating-point operands, such as
/// random numbers, is made in its own dtype and widened. Nothing where an operation does not
/// compute in float64.
std::optional<std::vector<Array>> exact_results(const Trace& trace, std::span<const Array> inputs,
                                                std::span<const double> scalars);

}  // namespace catena::capture
