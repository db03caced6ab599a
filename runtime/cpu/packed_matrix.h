#pragma once

#include <cstdint>

#include "runtime/cpu/scratch.h"

namespace catena {

/// Rows of a matrix that stand `stride` elements apart.
template <class T>
struct Rows {
    T* first;
    int64_t stride;
};

/// A matrix [k, n] of float or double packed for products with few rows, made again and again, as the steps of a recurrent layer
/// do. The order of a sum depends on the number of rows alone, not on the thread or on what it computes beside.
template <class T>
class PackedMatrix {
public:
    static constexpr int64_t panel_width = 2 * 64 / sizeof(T);  ///< Columns that are computed together.

    /// Element (p, j) is from[p * row_stride + j * column_stride].
    PackedMatrix(const T* from, int64_t k, int64_t n, int64_t row_stride, int64_t column_stride);

    int64_t panels() const { return (n_ + panel_width - 1) / panel_width; }
    /// c = a b, or c += a b, of a panel's columns; a [rows, k], c [rows, up to panel_width].
    void multiply(int64_t panel, int64_t rows, Rows<const T> a, Rows<T> c, bool adds) const;

private:
    int64_t k_, n_;
    Scratch memory_;
    T* packed_;  ///< [panels, k, panel_width], with zeros beyond n.
};

}  // namespace catena
