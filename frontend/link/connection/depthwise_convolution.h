#pragma once

#include "frontend/link/link.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of a DepthwiseConvolution2D.
struct DepthwiseConvolution2DOptions {
    /// Steps of the windows.
    PerAxis stride = 1;
    /// Zeros on each side of the image.
    PerAxis pad = 0;
    /// Whether there is no bias.
    bool nobias = false;
    /// The scale is 1 / sqrt(2), as in Chainer.
    Initializer initialW = initializers::HeNormal(0.70710678118654752);
    /// Initializer of b.
    Initializer initial_bias = 0.0;
};

/// depthwise_convolution_2d with W [channel_multiplier, in_channels, kh, kw] and b
/// [channel_multiplier in_channels].
class DepthwiseConvolution2D : public Link {
public:
    /// Makes the link; without in_channels (or with 0) they are taken from the first input.
    DepthwiseConvolution2D(std::optional<int64_t> in_channels, int64_t channel_multiplier,
                           const PerAxis& ksize, const DepthwiseConvolution2DOptions& options = {});
    /// x [N, in_channels, H, W] gives [N, channel_multiplier in_channels, H', W'].
    Variable operator()(const Operand& x);

    Parameter W, b;  ///< The weights and the bias; b is empty with nobias.

private:
    void initialize(int64_t in_channels);
    int64_t multiplier_;
    Dims ksize_;
    PerAxis stride_, pad_;
    bool nobias_;
};

}  // namespace catena
