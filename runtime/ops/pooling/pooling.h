#pragma once

#include "runtime/graph/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of max pooling over the last two axes; a single number applies to both.
struct MaxPooling {
    PerAxis stride = {};    ///< Empty: as the window.
    PerAxis pad = 0;        ///< Padding with -infinity.
    bool cover_all = true;  ///< Every element is in some window; the last one may exceed the end.
};

/// Maximum of each window of size `ksize` (one number or two) in x [N, C, H, W].
Variable max_pooling_2d(const Operand& x, const PerAxis& ksize, const MaxPooling& options = {});
/// The maxima, and the int32 number of each within its window (row by row).
Variables max_pooling_2d_with_indices(const Operand& x, const PerAxis& ksize,
                                      const MaxPooling& options = {});
/// Mean of each window; padding counts as zeros. Elements after the last full window are
/// ignored.
Variable average_pooling_2d(const Operand& x, const PerAxis& ksize, const PerAxis& stride = {},
                            const PerAxis& pad = 0);

}  // namespace catena
