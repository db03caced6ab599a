#pragma once

#include "runtime/graph/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of convolutions; a single number applies to all spatial axes.
struct ConvolutionOptions {
    PerAxis stride = 1;
    PerAxis pad = 0;
    bool cover_all =
        false;  ///< The last window may exceed the padded end, so that every element is covered.
    PerAxis dilate = 1;
    int64_t groups = 1;
};
struct DeconvolutionOptions {
    PerAxis stride = 1;
    PerAxis pad = 0;
    PerAxis outsize = {};  ///< Spatial sizes of the result; empty: the smallest that fit.
    PerAxis dilate = 1;
    int64_t groups = 1;
};

/// Cross-correlation of x [N, C, H, W] with W [O, C / groups, kh, kw]; b is [O] or undefined.
Variable convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options = {});
Variable convolution_2d(const Operand& x, const Operand& W, const ConvolutionOptions& options = {});
/// The same over as many spatial axes as x has (1 to 3).
Variable convolution_nd(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options = {});

/// The transpose of a convolution: x [N, I, H, W], W [I, O / groups, kh, kw], b [O] or undefined.
Variable deconvolution_2d(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options = {});
Variable deconvolution_2d(const Operand& x, const Operand& W,
                          const DeconvolutionOptions& options = {});
Variable deconvolution_nd(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options = {});

/// Number of windows of extent `kernel` on an axis of `size`; 0 when none fits.
int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t pad, bool cover_all,
                     int64_t dilate = 1);

}  // namespace catena
