#pragma once

#include <optional>

#include "runtime/ops/pooling/pooling.h"

namespace catena {

// Pooling over the axes after the first two of x [N, C, ...], any number of them: axis by axis,
// which gives the same.

/// Options of pooling by means.
struct AveragePooling {
    /// Distance of neighbouring windows, in elements; the size of the window if not given.
    PerAxis stride = {};
    /// The number of elements put around x, on each side; less than the window (ShapeError).
    PerAxis pad = 0;
    /// Whether padding counts as zeros; else (Chainer's pad_value=None) not at all.
    bool count_pad = true;
};

/// The maximum of each window, as max_pooling_2d, over any number of spatial axes.
/// - x: (N, C, D1, ..., Dk).
/// - ksize: Size of a window: a number, or one for each spatial axis.
/// - return_indices: Whether the places are returned, too.
/// - returns: The maxima; with return_indices also the number of each within its window, row by
///   row, int32.
Variable max_pooling_nd(const Operand& x, const PerAxis& ksize, const MaxPooling& options = {});
/// The maxima of max_pooling_nd, and the number of each within its window, row by row, int32.
Variables max_pooling_nd_with_indices(const Operand& x, const PerAxis& ksize,
                                      const MaxPooling& options = {});
/// The mean of each window, over any number of spatial axes. Elements after the last full window
/// are ignored. Floats only.
/// - x: (N, C, D1, ..., Dk).
/// - ksize: Size of a window: a number, or one for each spatial axis.
/// - pad_value: 0, so that padding counts as zeros, or None: not at all.
Variable average_pooling_nd(const Operand& x, const PerAxis& ksize,
                            const AveragePooling& options = {});

/// max_pooling_nd over one spatial axis.
/// - x: (N, C, L).
/// - ksize: Size of a window.
/// - return_indices: Whether the places are returned, too.
/// - returns: The maxima; with return_indices also the number of each within its window, int32.
Variable max_pooling_1d(const Operand& x, const PerAxis& ksize, const MaxPooling& options = {});
/// max_pooling_nd over three spatial axes.
/// - x: (N, C, D, H, W).
/// - ksize: Size of a window: a number, or (kd, kh, kw).
/// - return_indices: Whether the places are returned, too.
/// - returns: The maxima; with return_indices also the number of each within its window, row by
///   row, int32.
Variable max_pooling_3d(const Operand& x, const PerAxis& ksize, const MaxPooling& options = {});
/// average_pooling_nd over one spatial axis.
/// - x: (N, C, L).
/// - ksize: Size of a window.
/// - pad_value: 0, so that padding counts as zeros, or None: not at all.
Variable average_pooling_1d(const Operand& x, const PerAxis& ksize,
                            const AveragePooling& options = {});
/// average_pooling_nd over three spatial axes.
/// - x: (N, C, D, H, W).
/// - ksize: Size of a window: a number, or (kd, kh, kw).
/// - pad_value: 0, so that padding counts as zeros, or None: not at all.
Variable average_pooling_3d(const Operand& x, const PerAxis& ksize,
                            const AveragePooling& options = {});

/// The maxima over grids of 1, 2 x 2, 4 x 4, ... windows, joined: (N, C * (1 + 4 + 16 + ...), 1,
/// 1), whatever the height and the width are (He et al. 2014, "Spatial Pyramid Pooling in Deep
/// Convolutional Networks for Visual Recognition"). ShapeError where an image is too small for the
/// finest grid.
/// - x: (N, C, H, W).
/// - pyramid_height: How many grids.
/// - pooling: "max" alone.
Variable spatial_pyramid_pooling_2d(const Operand& x, int64_t pyramid_height);

}  // namespace catena
