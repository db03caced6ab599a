#pragma once

#include <string>

#include "frontend/link/connection/convolution.h"
#include "frontend/link/normalization/batch_normalization.h"

namespace catena {

/// Channels of the paths, in Chainer's order.
struct InceptionBNOptions {
    int64_t out1;  ///< Channels of the 1 x 1 path; 0: no such path.
    /// Channels of the 1 x 1 convolution before the 3 x 3 one.
    int64_t proj3;
    /// Channels of the path with a 3 x 3 convolution.
    int64_t out3;
    int64_t proj33;  ///< Channels of the path with two 3 x 3 convolutions.
    /// Channels of the second of the two 3 x 3 convolutions in a row.
    int64_t out33;
    std::string pooltype;  ///< Kind of pooling: "max" or "avg".
    /// Channels of the path with pooling; none: it gives the pooled x itself.
    std::optional<int64_t> proj_pool = {};
    /// Stride of the last step of every path; must be 1 where there is a 1 x 1 path.
    int64_t stride = 1;
    /// Initializer of the convolutions' weights.
    Initializer conv_init = {};
    std::optional<Dtype> dtype = {};  ///< Dtype of the normalisations' parameters.
};

/// A module of GoogLeNet with batch normalisation (Ioffe and Szegedy 2015).
class InceptionBN : public Link {
public:
    /// A block whose in_channels, if not given, are those of the first input.
    InceptionBN(std::optional<int64_t> in_channels, const InceptionBNOptions& options);
    /// x [N, in_channels, H, W] gives the joined channels of all paths, [N, ..., H / stride, W /
    /// stride].
    Variable operator()(const Operand& x);

    /// The convolutions of the paths.
    Convolution2D proj3, conv3, proj33, conv33a, conv33b;
    /// The normalisations of the convolutions.
    BatchNormalization proj3n, conv3n, proj33n, conv33an, conv33bn;
    /// The convolutions of the paths that may be left out: 1 x 1, and behind the pooling.
    std::optional<Convolution2D> conv1, poolp;
    /// The normalisations of the convolutions that may be absent.
    std::optional<BatchNormalization> conv1n, poolpn;

private:
    Variable joined(const Variable& x);
    bool averages_;
    int64_t stride_;
};

}  // namespace catena
