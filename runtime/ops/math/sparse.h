#pragma once

#include <cstdint>
#include <optional>

#include "runtime/graph/op/op.h"

namespace catena {

/// Sparse matrices by their elements: data[i] at (row[i], col[i]) of a matrix, or data[b,i] of
/// matrix b of a batch. Repeated places add up; entries with a negative row or column do not count,
/// so that the matrices of a batch may have different numbers of elements. Made by to_coo, or from
/// arrays: data of floats, row and col of integers, all of one shape.
struct CooMatrix {
    Variable data, row, col;
    int64_t rows = 0, columns = 0;
    /// The transposed matrix: the elements at (col, row).
    CooMatrix transposed() const { return {data, col, row, columns, rows}; }
    Variable to_dense() const;  ///< The dense array, [rows,columns] or [B,rows,columns].
};

/// The elements that are not 0 of a matrix, or of a batch of them, in order of rows: reads x on the
/// host. `entries` is the length of data, the largest number of elements when not given.
CooMatrix to_coo(const Operand& x, std::optional<int64_t> entries = {}, bool requires_grad = false);

/// The product of a sparse and a dense matrix, dense. A batch of one factor needs one of the same
/// size of the other. Gradients go to the dense factor and to data, the elements of the sparse one.
///
/// By name the sparse factor is the first, and given by its elements, of which repeated ones add
/// up; those with a negative row or column do not count.
/// - data: The elements, floating point, (E), or (B, E) for a batch.
/// - row, col: Integers of data's shape, the places of the elements.
/// - b: The dense factor, (columns, k), or (B, columns, k).
/// - shape: (rows, columns) of the sparse factor.
/// - transa: Swap the last two axes of the first factor first.
/// - transb: Swap the last two axes of the second factor first.
Variable sparse_matmul(const CooMatrix& a, const Operand& b, bool transa = false,
                       bool transb = false);
Variable sparse_matmul(const Operand& a, const CooMatrix& b, bool transa = false,
                       bool transb = false);

}  // namespace catena
