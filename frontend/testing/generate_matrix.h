#pragma once

#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

/// A random matrix with these singular values, as Chainer's testing.generate_matrix: U diag(s) V^T
/// with orthonormal U and V. A shape [..., m, n] gives several; there are min(m, n) singular
/// values, or one for all. ShapeError for another number of them and for fewer than two axes. It is
/// drawn from the thread's random numbers (set_seed).
Array generate_matrix(const Shape& shape, const std::vector<double>& singular_values,
                      Dtype dtype = Dtype::float64);

}  // namespace catena
