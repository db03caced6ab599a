#pragma once

#include "frontend/link/connection/linear.h"

namespace catena {

struct MaxoutOptions {
    bool nobias = false;
    Initializer initialW = {};  ///< Initializer of linear.W [out_size pool_size, in_size].
    Initializer initial_bias = 0.0;
};

/// maxout(linear(x), pool_size): the largest of `pool_size` linear functions for each of `out_size`
/// results (Goodfellow et al. 2013, arXiv:1302.4389).
class Maxout : public Link {
public:
    /// Makes the link; without in_size (or with 0) it is taken from the first input.
    Maxout(std::optional<int64_t> in_size, int64_t out_size, int64_t pool_size,
           const MaxoutOptions& options = {});
    Variable operator()(const Operand& x);

    Linear linear;

private:
    int64_t pool_size_;
};

}  // namespace catena
