#pragma once

#include "frontend/link/link.h"
#include "runtime/ops/noise/dropconnect.h"

namespace catena {

struct SimplifiedDropconnectLinkOptions {
    double ratio = 0.5;
    bool nobias = false;
    Initializer initialW =
        initializers::HeNormal(0.70710678118654752);  ///< 1 / sqrt(2), as in Chainer.
    Initializer initial_bias = 0.0;
};

/// simplified_dropconnect(x, W, b) with W [out_size, in_size] and b [out_size].
class SimplifiedDropconnect : public Link {
public:
    /// Without in_size (or with 0) it is taken from the first input.
    SimplifiedDropconnect(std::optional<int64_t> in_size, int64_t out_size,
                          const SimplifiedDropconnectLinkOptions& options = {});
    /// The ratio is the link's. A mask that is given here is not saved with the link.
    Variable operator()(const Operand& x, bool train = true, const Variable& mask = {},
                        bool use_batchwise_mask = true);

    Parameter W, b;  ///< b is empty when nobias.

private:
    int64_t out_size_;
    double ratio_;
    bool nobias_;
};

}  // namespace catena
