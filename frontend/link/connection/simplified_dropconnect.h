#pragma once

#include "frontend/link/link.h"
#include "runtime/ops/noise/dropconnect.h"

namespace catena {

/// Options of a SimplifiedDropconnect.
struct SimplifiedDropconnectLinkOptions {
    /// The share of connections that is dropped.
    double ratio = 0.5;
    /// Whether there is no bias.
    bool nobias = false;
    /// The scale is 1 / sqrt(2), as in Chainer.
    Initializer initialW = initializers::HeNormal(0.70710678118654752);
    /// Initializer of b.
    Initializer initial_bias = 0.0;
};

/// simplified_dropconnect(x, W, b) with W [out_size, in_size] and b [out_size].
class SimplifiedDropconnect : public Link {
public:
    /// Makes the link; without in_size (or with 0) it is taken from the first input.
    SimplifiedDropconnect(std::optional<int64_t> in_size, int64_t out_size,
                          const SimplifiedDropconnectLinkOptions& options = {});
    /// Drops connections with the link's ratio. A given `mask` is used instead of a random one; it
    /// is not saved with the link.
    Variable operator()(const Operand& x, bool train = true, const Variable& mask = {},
                        bool use_batchwise_mask = true);

    Parameter W, b;  ///< The weights and the bias; b is empty with nobias.

private:
    int64_t out_size_;
    double ratio_;
    bool nobias_;
};

}  // namespace catena
