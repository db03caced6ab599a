#pragma once

#include <cstdint>
#include <optional>

#include "runtime/graph/op.h"

namespace catena {

/// Sparse matrices by their elements: data[i] at (row[i], col[i]) of a matrix, or data[b,i] of
/// matrix b of a batch. Repeated places add up; entries with a negative row or column do not count,
/// so that the matrices of a batch may have different numbers of elements. Made by to_coo, or from
/// arrays: data of floats, row and col of integers, all of one shape.
struct CooMatrix {
    Variable data, row, col;
    int64_t rows = 0, columns = 0;
    /// The same elements at (col, row).
    CooMatrix transposed() const { return {data, col, row, columns, rows}; }
    Variable to_dense() const;  ///< [rows,columns] or [B,rows,columns].
};

/// The elements that are not 0 of a matrix, or of a batch of them, in order of rows: reads x on the
/// host. `entries` is the length of data, the largest number of elements when not given.
CooMatrix to_coo(const Operand& x, std::optional<int64_t> entries = {}, bool requires_grad = false);

/// Matrix products where one factor is sparse; the result is dense. transa and transb swap the last
/// two axes of a factor first. A batch of one factor needs one of the same size of the other.
/// Gradients go to the dense factor and to data.
Variable sparse_matmul(const CooMatrix& a, const Operand& b, bool transa = false,
                       bool transb = false);
Variable sparse_matmul(const Operand& a, const CooMatrix& b, bool transa = false,
                       bool transb = false);

}  // namespace catena
