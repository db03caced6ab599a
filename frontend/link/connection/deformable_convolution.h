#pragma once

#include "frontend/link/connection/convolution.h"

namespace catena {

/// Options of a DeformableConvolution2DSampler.
struct DeformableConvolution2DSamplerOptions {
    /// Steps of the windows.
    PerAxis stride = 1;
    /// Zeros on each side of the image.
    PerAxis pad = 0;
    /// Whether there is no bias.
    bool nobias = false;
    /// Initializer of W.
    Initializer initialW = 0.0;
    /// Initializer of b.
    Initializer initial_bias = 0.0;
};

/// deformable_convolution_2d_sampler with W [out_channels, in_channels, kh, kw] and b
/// [out_channels].
class DeformableConvolution2DSampler : public Link {
public:
    /// A layer with windows of `ksize`; without in_channels it is taken from the first input.
    DeformableConvolution2DSampler(std::optional<int64_t> in_channels, int64_t out_channels,
                                   const PerAxis& ksize,
                                   const DeformableConvolution2DSamplerOptions& options = {});
    /// x [N, in_channels, H, W] gives [N, out_channels, H', W']; the offsets are as
    /// deformable_convolution_2d_sampler takes them.
    Variable operator()(const Operand& x, const Operand& offset);

    Parameter W, b;  ///< The weights and the bias; b is empty with nobias.

private:
    int64_t out_channels_;
    Dims ksize_;
    PerAxis stride_, pad_;
    bool nobias_;
};

/// Options of a DeformableConvolution2D.
struct DeformableConvolution2DOptions {
    /// Steps of the windows.
    PerAxis stride = 1;
    /// Zeros on each side of the image.
    PerAxis pad = 0;
    /// Whether the convolution of the offsets has no bias.
    bool offset_nobias = false;
    /// Initializer of the weights of the offsets.
    Initializer offset_initialW = {};
    /// Initializer of the bias of the offsets.
    Initializer offset_initial_bias = 0.0;
    /// Whether the deformable convolution has no bias.
    bool deform_nobias = false;
    /// Initializer of the weights of the offsets' convolution.
    Initializer deform_initialW = 0.0;
    /// Initializer of the bias of the offsets' convolution.
    Initializer deform_initial_bias = 0.0;
};

/// A convolution that reads each element of its windows at an offset (Dai et al. 2017,
/// arXiv:1703.06211); the offsets are another convolution's results.
class DeformableConvolution2D : public Link {
public:
    /// Makes the link; without in_channels (or with 0) they are taken from the first input.
    DeformableConvolution2D(std::optional<int64_t> in_channels, int64_t out_channels,
                            const PerAxis& ksize,
                            const DeformableConvolution2DOptions& options = {});
    /// x [N, in_channels, H, W] gives [N, out_channels, H', W'].
    Variable operator()(const Operand& x);

    /// The convolution that gives the offsets.
    Convolution2D offset_conv;
    /// The convolution that reads at the offsets.
    DeformableConvolution2DSampler deform_conv;
};

}  // namespace catena
