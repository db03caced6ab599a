#pragma once

#include "frontend/link/connection/convolution.h"

namespace catena {

/// Channels of the four paths, in Chainer's order: `Inception{192, {64, 96, 128, 16, 32, 32}}`.
struct InceptionOptions {
    int64_t out1;   ///< Channels of the 1 x 1 path.
    int64_t proj3;  ///< Channels between the two convolutions of the 3 x 3 path.
    /// Channels of the path with a 3 x 3 convolution.
    int64_t out3;
    /// Channels of the 1 x 1 convolution before the 5 x 5 one.
    int64_t proj5;
    /// Channels of the path with a 5 x 5 convolution.
    int64_t out5;
    int64_t proj_pool;  ///< Channels of the path with a maximum over 3 x 3.
    /// Initializer of the convolutions' weights.
    Initializer conv_init = {};
    /// Initializer of the convolutions' biases.
    Initializer bias_init = 0.0;
};

/// A module of GoogLeNet (Szegedy et al. 2015): four paths side by side, joined and rectified; the
/// sizes of images stay.
class Inception : public Link {
public:
    /// A block whose in_channels, if not given, are those of the first input.
    Inception(std::optional<int64_t> in_channels, const InceptionOptions& options);
    /// x [N, in_channels, H, W] gives [N, out1 + out3 + out5 + proj_pool, H, W].
    Variable operator()(const Operand& x);

    /// The convolutions of the paths; projp is that behind the pooling.
    Convolution2D conv1, proj3, conv3, proj5, conv5, projp;
};

}  // namespace catena
