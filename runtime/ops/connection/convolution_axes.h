#pragma once

#include "runtime/ops/connection/convolution.h"

namespace catena {

// convolution_nd and deconvolution_nd of x with exactly one or three spatial axes, ShapeError for
// others; b may be undefined.

/// convolution_nd over one spatial axis; ShapeError for others.
/// - x: (N, C, L).
/// - W: Filters, (O, C / groups, k).
/// - b: Added to each channel of the result, (O).
Variable convolution_1d(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options = {});
/// convolution_nd over three spatial axes; ShapeError for others.
/// - x: (N, C, D, H, W).
/// - W: Filters, (O, C / groups, kd, kh, kw).
/// - b: Added to each channel of the result, (O).
Variable convolution_3d(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options = {});
/// deconvolution_nd over one spatial axis; ShapeError for others.
/// - x: (N, I, L).
/// - W: Filters, (I, O / groups, k).
/// - b: Added to each channel of the result, (O).
Variable deconvolution_1d(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options = {});
/// deconvolution_nd over three spatial axes; ShapeError for others.
/// - x: (N, I, D, H, W).
/// - W: Filters, (I, O / groups, kd, kh, kw).
/// - b: Added to each channel of the result, (O).
Variable deconvolution_3d(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options = {});

/// Chainer's earlier name of convolution_2d with `dilate` (Yu and Koltun 2015, "Multi-Scale Context
/// Aggregation by Dilated Convolutions").
/// - x: Images, (N, C, H, W).
/// - W: Filters, (O, C, kh, kw).
/// - b: Added to each channel of the result, (O).
Variable dilated_convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                                const ConvolutionOptions& options = {});

}  // namespace catena
