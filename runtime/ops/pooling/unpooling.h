#pragma once

#include "runtime/graph/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of unpooling; the windows are those of a pooling of the result.
struct Unpooling {
    PerAxis stride = {};  ///< Empty: as the window.
    PerAxis pad = 0;
    PerAxis outsize = {};   ///< Sizes of the result; empty: as small as the windows allow.
    bool cover_all = true;  ///< The last window may exceed the result.
};

/// Every element of x [N, C, ...] spread over its window; where windows overlap, they add up.
Variable unpooling_nd(const Operand& x, const PerAxis& ksize, const Unpooling& options = {});
/// The same of x with one, two and three axes after the first two.
Variable unpooling_1d(const Operand& x, const PerAxis& ksize, const Unpooling& options = {});
Variable unpooling_2d(const Operand& x, const PerAxis& ksize, const Unpooling& options = {});
Variable unpooling_3d(const Operand& x, const PerAxis& ksize, const Unpooling& options = {});

/// Every element of x [N, C, H, W] at the place in its window that `indexes` says, as
/// max_pooling_2d numbers them; zeros elsewhere.
Variable upsampling_2d(const Operand& x, const Operand& indexes, const PerAxis& ksize,
                       const Unpooling& options = {});

}  // namespace catena
