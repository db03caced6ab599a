#pragma once

#include "frontend/link/connection/convolution.h"

namespace catena {

/// Channels of the four paths, in Chainer's order: `Inception{192, {64, 96, 128, 16, 32, 32}}`.
struct InceptionOptions {
    int64_t out1;   ///< Channels of the 1 x 1 path.
    int64_t proj3;  ///< Channels between the two convolutions of the 3 x 3 path.
    int64_t out3;
    int64_t proj5;
    int64_t out5;
    int64_t proj_pool;  ///< Channels of the path with a maximum over 3 x 3.
    Initializer conv_init = {};
    Initializer bias_init = 0.0;
};

/// A module of GoogLeNet (Szegedy et al. 2015): four paths side by side, joined and rectified; the
/// sizes of images stay.
class Inception : public Link {
public:
    Inception(std::optional<int64_t> in_channels, const InceptionOptions& options);
    Variable operator()(const Operand& x);

    Convolution2D conv1, proj3, conv3, proj5, conv5, projp;
};

}  // namespace catena
