#pragma once

#include <cstdint>

namespace catena {

/// The rows of a matrix, `stride` elements apart.
template <class T>
struct Rows {
    T* first;
    int64_t stride;
};

/// A matrix [k, n] of float or double, packed for products with few rows that are made again and
/// again, as the steps of a recurrent layer do: panels [k, panel_width], with zeros beyond n,
/// `panel_stride` elements apart. The order of a sum depends on the number of rows alone, not on
/// the thread or on other columns.
template <class T>
class PackedMatrix {
public:
    /// The number of columns that are computed together.
    static constexpr int64_t panel_width = 2 * 64 / sizeof(T);

    static constexpr int64_t panels_of(int64_t n) { return (n + panel_width - 1) / panel_width; }

    /// Packs a matrix whose element (p, j) is from[p * row_stride + j * column_stride].
    static void pack(const T* from, int64_t k, int64_t n, int64_t row_stride, int64_t column_stride,
                     T* to, int64_t panel_stride);

    /// A matrix that `pack` has written.
    PackedMatrix(const T* packed, int64_t k, int64_t n, int64_t panel_stride)
        : k_(k), n_(n), panel_stride_(panel_stride), packed_(packed) {}

    /// Computes c = a b, or c += a b, for a panel's columns; a [rows, k], c [rows, up to
    /// panel_width].
    void multiply(int64_t panel, int64_t rows, Rows<const T> a, Rows<T> c, bool adds) const;

private:
    int64_t k_, n_, panel_stride_;
    const T* packed_;
};

}  // namespace catena
