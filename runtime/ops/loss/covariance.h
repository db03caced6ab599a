#pragma once

#include <string>

#include "runtime/graph/op.h"

namespace catena {

// Penalties on what vary together in a batch. reduce is "half_squared_sum": half the sum of the
// squared covariances, or "no": their matrix.

/// Between the columns of y [N, K] and z [N, L] (Cheung et al. 2014).
Variable cross_covariance(const Operand& y, const Operand& z,
                          const std::string& reduce = "half_squared_sum");
/// Between different columns of h [N, K] (Cogswell et al. 2015); the matrix has zeros on its
/// diagonal.
Variable decov(const Operand& h, const std::string& reduce = "half_squared_sum");

}  // namespace catena
