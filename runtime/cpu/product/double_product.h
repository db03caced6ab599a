#pragma once

#include <cstdint>

#include "runtime/cpu/product/packed_matrix.h"

namespace catena {

/// The operands of c = a b, or c += a b, in float64 on all threads. The order of each sum depends
/// on the sizes alone.
struct DoubleProduct {
    int64_t m, n, k;
    Rows<const double> a;  ///< The left matrix, [m, k].
    /// The right matrix, [k, n], as PackedMatrix<double>::pack() writes it, packed_step(k) from a
    /// panel to the next.
    const double* b;
    Rows<double> c;  ///< The result, [m, n].
    bool adds = false;

    static int64_t packed_step(int64_t k) { return k * PackedMatrix<double>::panel_width; }
    static int64_t packed_size(int64_t k, int64_t n) {
        return PackedMatrix<double>::panels_of(n) * packed_step(k);
    }
    void run() const;
};

}  // namespace catena
