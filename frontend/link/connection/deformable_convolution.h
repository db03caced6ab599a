#pragma once

#include "frontend/link/connection/convolution.h"

namespace catena {

struct DeformableConvolution2DSamplerOptions {
    PerAxis stride = 1;
    PerAxis pad = 0;
    bool nobias = false;
    Initializer initialW = 0.0;
    Initializer initial_bias = 0.0;
};

/// deformable_convolution_2d_sampler with W [out_channels, in_channels, kh, kw] and b
/// [out_channels].
class DeformableConvolution2DSampler : public Link {
public:
    DeformableConvolution2DSampler(std::optional<int64_t> in_channels, int64_t out_channels,
                                   const PerAxis& ksize,
                                   const DeformableConvolution2DSamplerOptions& options = {});
    Variable operator()(const Operand& x, const Operand& offset);

    Parameter W, b;  ///< The weights and the bias; b is empty with nobias.

private:
    int64_t out_channels_;
    Dims ksize_;
    PerAxis stride_, pad_;
    bool nobias_;
};

struct DeformableConvolution2DOptions {
    PerAxis stride = 1;
    PerAxis pad = 0;
    bool offset_nobias = false;
    Initializer offset_initialW = {};
    Initializer offset_initial_bias = 0.0;
    bool deform_nobias = false;
    Initializer deform_initialW = 0.0;
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
    Variable operator()(const Operand& x);

    Convolution2D offset_conv;
    DeformableConvolution2DSampler deform_conv;
};

}  // namespace catena
