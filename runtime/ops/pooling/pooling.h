#pragma once

#include "runtime/graph/op/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of max pooling. A single number applies to all spatial axes; else there is one for each.
struct MaxPooling {
    /// Distance of neighbouring windows, in elements; the size of the window if not given.
    PerAxis stride = {};
    /// The number of elements put around x, on each side, as if they were -infinity; less than the
    /// window (ShapeError).
    PerAxis pad = 0;
    /// Whether the last window may exceed the padded end, so that every element is in a window.
    bool cover_all = true;
};

/// The maximum of each window: (N, C, H2, W2). Floats only; ShapeError where no window fits.
/// Chainer's function.
/// - x: (N, C, H, W).
/// - ksize: Size of a window: a number, or (kh, kw).
/// - return_indices: Whether the places are returned, too.
/// - returns: The maxima; with return_indices also the number of each within its window, row by
///   row, int32.
Variable max_pooling_2d(const Operand& x, const PerAxis& ksize, const MaxPooling& options = {});
/// The maxima of max_pooling_2d, and the number of each within its window, row by row, int32.
Variables max_pooling_2d_with_indices(const Operand& x, const PerAxis& ksize,
                                      const MaxPooling& options = {});
/// The mean of each window, where padding counts as zeros: (N, C, H2, W2). Elements after the last
/// full window are ignored. Floats only; ShapeError where no window fits. Chainer's function.
/// - x: (N, C, H, W).
/// - ksize: Size of a window: a number, or (kh, kw).
/// - stride: Distance of neighbouring windows: a number, or (down, across); ksize if not given.
/// - pad: Zeros put on each side: a number, or (down, across); less than ksize (ShapeError).
Variable average_pooling_2d(const Operand& x, const PerAxis& ksize, const PerAxis& stride = {},
                            const PerAxis& pad = 0);

}  // namespace catena
