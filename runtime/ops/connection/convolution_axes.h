#pragma once

#include "runtime/ops/connection/convolution.h"

namespace catena {

// convolution_nd and deconvolution_nd of x with exactly one or three spatial axes, ShapeError for
// others; b may be undefined.

Variable convolution_1d(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options = {});
Variable convolution_3d(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options = {});
Variable deconvolution_1d(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options = {});
Variable deconvolution_3d(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options = {});

/// Chainer's earlier name of convolution_2d with the option `dilate`.
Variable dilated_convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                                const ConvolutionOptions& options = {});

}  // namespace catena
