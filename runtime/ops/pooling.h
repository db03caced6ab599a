#pragma once

#include "runtime/ops/op.h"

namespace catena {

/// Options of max pooling over the last two axes; a single number applies to both.
struct MaxPooling {
    Dims stride = {};       ///< Empty: as the window.
    Dims pad = {0};         ///< Padding with -infinity.
    bool cover_all = true;  ///< Every element is in some window; the last one may exceed the end.
};

/// Maximum of each window of size `ksize` (one number or two) in x [N, C, H, W].
Variable max_pooling_2d(const Operand& x, const Dims& ksize, const MaxPooling& options = {});
/// The maxima, and the int32 number of each within its window (row by row).
Variables max_pooling_2d_with_indices(const Operand& x, const Dims& ksize,
                                      const MaxPooling& options = {});
/// Mean of each window; padding counts as zeros. Elements after the last full window are
/// ignored.
Variable average_pooling_2d(const Operand& x, const Dims& ksize, const Dims& stride = {},
                            const Dims& pad = {0});

/// Square windows.
inline Variable max_pooling_2d(const Operand& x, int64_t ksize, const MaxPooling& options = {}) {
    return max_pooling_2d(x, Dims{ksize}, options);
}
inline Variable average_pooling_2d(const Operand& x, int64_t ksize, int64_t stride, int64_t pad = 0) {
    return average_pooling_2d(x, Dims{ksize}, Dims{stride}, Dims{pad});
}
inline Variable average_pooling_2d(const Operand& x, int64_t ksize) {
    return average_pooling_2d(x, Dims{ksize});
}

}  // namespace catena
