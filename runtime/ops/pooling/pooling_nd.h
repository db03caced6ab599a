#pragma once

#include <optional>

#include "runtime/ops/pooling/pooling.h"

namespace catena {

// Pooling over the axes after the first two of x [N, C, ...], any number of them: axis by axis,
// which gives the same.

/// Options of pooling by means.
struct AveragePooling {
    PerAxis stride = {};  ///< Empty: as the window.
    PerAxis pad = 0;
    bool count_pad =
        true;  ///< Padding counts as zeros; false (Chainer's pad_value=None): not at all.
};

Variable max_pooling_nd(const Operand& x, const PerAxis& ksize, const MaxPooling& options = {});
/// The maxima, and the int32 number of each within its window (row by row).
Variables max_pooling_nd_with_indices(const Operand& x, const PerAxis& ksize,
                                      const MaxPooling& options = {});
Variable average_pooling_nd(const Operand& x, const PerAxis& ksize,
                            const AveragePooling& options = {});

/// max_pooling_nd of x [N, C, W] and [N, C, D, H, W].
Variable max_pooling_1d(const Operand& x, const PerAxis& ksize, const MaxPooling& options = {});
Variable max_pooling_3d(const Operand& x, const PerAxis& ksize, const MaxPooling& options = {});
/// average_pooling_nd of x [N, C, W] and [N, C, D, H, W].
Variable average_pooling_1d(const Operand& x, const PerAxis& ksize,
                            const AveragePooling& options = {});
Variable average_pooling_3d(const Operand& x, const PerAxis& ksize,
                            const AveragePooling& options = {});

/// Maxima of x [N, C, H, W] over grids of 1, 2 x 2, 4 x 4, ... windows, `pyramid_height` of them,
/// joined: [N, C sum 4^i, 1, 1] (He et al. 2014).
Variable spatial_pyramid_pooling_2d(const Operand& x, int64_t pyramid_height);

}  // namespace catena
