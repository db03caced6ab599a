#pragma once

#include <initializer_list>

#include "runtime/graph/op/op.h"

namespace catena {

/// The lower triangle of the matrices in the last two axes: 0 above the k-th diagonal. Of any
/// dtype; NumPy's function.
/// - x: (..., m, n).
/// - k: The last diagonal that stays.
Variable tril(const Operand& x, int64_t k = 0);
/// The upper triangle of the matrices in the last two axes: 0 below the k-th diagonal. Of any
/// dtype; NumPy's function.
/// - x: (..., m, n).
/// - k: The first diagonal that stays.
Variable triu(const Operand& x, int64_t k = 0);

/// The k-th diagonal of a matrix, or the square matrix with a vector on its k-th diagonal, as
/// NumPy's diag.
/// - v: (m, n), or (n).
/// - k: Which diagonal: above the main one where positive, below it where negative.
Variable diag(const Operand& v, int64_t k = 0);
/// The square matrix with the elements of v on its k-th diagonal, as NumPy's diagflat.
/// - v: Of any shape.
/// - k: Which diagonal: above the main one where positive, below it where negative.
Variable diagflat(const Operand& v, int64_t k = 0);

/// The order of the first two axes in meshgrid: xy (the first array along axis 1, as in plots) or
/// ij (along axis 0).
enum class MeshgridIndexing { xy, ij };
/// All combinations of the elements of vectors: for each vector an array of all axes, as NumPy's
/// meshgrid.
/// - xs: Vectors.
/// - indexing: "xy", the first vector along axis 1, as in plots, or "ij", along axis 0.
Variables meshgrid(std::span<const Variable> xs, MeshgridIndexing indexing = MeshgridIndexing::xy,
                   const std::source_location& at = std::source_location::current());
Variables meshgrid(std::initializer_list<Variable> xs,
                   MeshgridIndexing indexing = MeshgridIndexing::xy,
                   const std::source_location& at = std::source_location::current());

}  // namespace catena
