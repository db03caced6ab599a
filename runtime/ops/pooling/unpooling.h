#pragma once

#include "runtime/graph/op/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of unpooling; the windows are those of a pooling of the result. A single number applies
/// to all spatial axes; else there is one for each.
struct Unpooling {
    /// Distance of neighbouring windows, in elements; the size of the window if not given.
    PerAxis stride = {};
    /// The number of elements that the pooling puts around the result, on each side.
    PerAxis pad = 0;
    /// Spatial sizes of the result; if not given, as small as the windows allow.
    PerAxis outsize = {};
    /// Whether the last window may exceed the result.
    bool cover_all = true;
};

/// Every element of x spread over its window, over any number of spatial axes; where windows
/// overlap, they add up. ShapeError where a pooling of `outsize` would not give the sizes of x.
/// Chainer's function.
/// - x: (N, C, D1, ..., Dk).
/// - ksize: Size of a window: a number, or one for each spatial axis.
Variable unpooling_nd(const Operand& x, const PerAxis& ksize, const Unpooling& options = {});
/// unpooling_nd over one spatial axis.
/// - x: (N, C, L).
/// - ksize: Size of a window.
Variable unpooling_1d(const Operand& x, const PerAxis& ksize, const Unpooling& options = {});
/// unpooling_nd over two spatial axes.
/// - x: (N, C, H, W).
/// - ksize: Size of a window: a number, or (kh, kw).
Variable unpooling_2d(const Operand& x, const PerAxis& ksize, const Unpooling& options = {});
/// unpooling_nd over three spatial axes.
/// - x: (N, C, D, H, W).
/// - ksize: Size of a window: a number, or (kd, kh, kw).
Variable unpooling_3d(const Operand& x, const PerAxis& ksize, const Unpooling& options = {});

/// Every element of x at the place of its window that an index names, and zeros elsewhere:
/// max_pooling_2d backwards (Zeiler et al. 2011). Chainer's function.
/// - x: (N, C, H, W).
/// - indexes: Integers of x's shape, the places within windows, row by row, as max_pooling_2d
///   returns them.
/// - ksize: Size of a window: a number, or (kh, kw).
Variable upsampling_2d(const Operand& x, const Operand& indexes, const PerAxis& ksize,
                       const Unpooling& options = {});

}  // namespace catena
