#pragma once

#include <initializer_list>

#include "runtime/graph/op.h"

namespace catena {

/// The lower triangle of the matrices in the last two axes: 0 above the k-th diagonal. Of any
/// dtype; differentiable.
Variable tril(const Operand& x, int64_t k = 0);
/// The upper triangle: 0 below the k-th diagonal.
Variable triu(const Operand& x, int64_t k = 0);

/// The k-th diagonal of a matrix, or the square matrix with the vector v on its k-th diagonal.
Variable diag(const Operand& v, int64_t k = 0);
/// diag of the flattened v.
Variable diagflat(const Operand& v, int64_t k = 0);

/// How meshgrid orders the first two axes: xy (the first array along axis 1, as in plots) or ij
/// (along axis 0).
enum class MeshgridIndexing { xy, ij };
/// For vectors x1, x2, ...: arrays of all combinations, one for each vector.
Variables meshgrid(std::span<const Variable> xs, MeshgridIndexing indexing = MeshgridIndexing::xy,
                   const std::source_location& at = std::source_location::current());
Variables meshgrid(std::initializer_list<Variable> xs,
                   MeshgridIndexing indexing = MeshgridIndexing::xy,
                   const std::source_location& at = std::source_location::current());

}  // namespace catena
