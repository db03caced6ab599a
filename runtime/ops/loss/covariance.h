#pragma once

#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

// Penalties on what vary together in a batch. reduce is "half_squared_sum": half the sum of the
// squared covariances, or "no": their matrix.

/// A penalty on what two groups of features share: half the sum of the squared covariances of the
/// columns of y with those of z, over the batch (Cheung et al. 2014, "Discovering Hidden Factors of
/// Variation in Deep Networks"). Floats of one dtype.
/// - y: (N, K).
/// - z: (N, L).
/// - reduce: "half_squared_sum", one number, or "no", the covariances, (K, L).
Variable cross_covariance(const Operand& y, const Operand& z,
                          const std::string& reduce = "half_squared_sum");
/// A penalty on features that vary together: half the sum of the squared covariances of different
/// columns of h, over the batch (Cogswell et al. 2015, "Reducing Overfitting in Deep Networks by
/// Decorrelating Representations"). Floats only.
/// - h: (N, K).
/// - reduce: "half_squared_sum", one number, or "no", the covariances, (K, K), with zeros on the
///   diagonal.
Variable decov(const Operand& h, const std::string& reduce = "half_squared_sum");

}  // namespace catena
