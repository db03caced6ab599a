#pragma once

#include "runtime/graph/op/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of convolutions. A single number applies to all spatial axes; else there is one for
/// each.
struct ConvolutionOptions {
    /// Distance of neighbouring windows, in elements: a number, or one for each spatial axis.
    PerAxis stride = 1;
    /// Zeros put around x, on each side of a spatial axis: a number, or one for each.
    PerAxis pad = 0;
    /// Whether the last window may exceed the padded end, so that every element is in a window.
    bool cover_all = false;
    /// Distance of neighbouring elements of a window: a number, or one for each spatial axis.
    PerAxis dilate = 1;
    /// Number of groups of channels: those of a group of the result read those of the same group of
    /// x. It divides both numbers of channels.
    int64_t groups = 1;
};
/// Options of deconvolutions: those of the convolution that they are the transpose of.
struct DeconvolutionOptions {
    /// Distance of neighbouring windows in the result, in elements: a number, or one for each
    /// spatial axis.
    PerAxis stride = 1;
    /// The number of elements that the result lacks on each side of a spatial axis: a number, or
    /// one for each.
    PerAxis pad = 0;
    /// Spatial sizes of the result; if not given, the smallest that fit: stride * (size - 1) +
    /// dilate * (kernel - 1) + 1 - 2 * pad.
    PerAxis outsize = {};
    /// Distance of neighbouring elements of a window: a number, or one for each spatial axis.
    PerAxis dilate = 1;
    /// Number of groups of channels, which divides both numbers of channels.
    int64_t groups = 1;
};

/// Two-dimensional convolution, as networks use the word (cross-correlation): result (n, o, i, j)
/// is b[o] plus the sum of x[n, c, i * stride + u * dilate - pad, j * stride + v * dilate - pad] *
/// W[o, c, u, v] over c, u and v, where x is 0 outside. Chainer's function, and PyTorch's conv2d.
///
/// The result is (N, O, H2, W2) with H2 = 1 + floor((H + 2 * pad - dilate * (kh - 1) - 1) /
/// stride). Floats only; dtypes are promoted. ShapeError where sizes do not agree or no window
/// fits.
/// - x: Images, (N, C, H, W).
/// - W: Filters, (O, C / groups, kh, kw).
/// - b: Added to each channel of the result, (O).
/// - cudnn_fast: Has no effect; it is there for Chainer's programs.
Variable convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options = {});
Variable convolution_2d(const Operand& x, const Operand& W, const ConvolutionOptions& options = {});
/// A convolution as convolution_2d, over as many spatial axes as x has: 1 to 3.
/// - x: (N, C, D1, ..., Dk).
/// - W: Filters, (O, C / groups, k1, ..., kk).
/// - b: Added to each channel of the result, (O).
Variable convolution_nd(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options = {});

/// The transpose of a two-dimensional convolution, towards its x (Zeiler et al. 2010): every
/// element of x adds its filters, multiplied by it, to a window of the result, which is (N, O, H2,
/// W2). Chainer's function, and PyTorch's conv_transpose2d. Floats only. ShapeError where sizes do
/// not agree, or a convolution of an array with the sizes `outsize` would not give those of x.
/// - x: (N, I, H, W).
/// - W: Filters, (I, O / groups, kh, kw).
/// - b: Added to each channel of the result, (O).
Variable deconvolution_2d(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options = {});
Variable deconvolution_2d(const Operand& x, const Operand& W,
                          const DeconvolutionOptions& options = {});
/// The transpose of a convolution, as deconvolution_2d, over as many spatial axes as x has: 1 to 3.
/// - x: (N, I, D1, ..., Dk).
/// - W: Filters, (I, O / groups, k1, ..., kk).
/// - b: Added to each channel of the result, (O).
Variable deconvolution_nd(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options = {});

/// Number of windows of extent `kernel` on an axis of `size`; 0 when none fits.
int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t pad, bool cover_all,
                     int64_t dilate = 1);

}  // namespace catena
