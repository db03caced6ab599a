#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// In training mode each element is that of h with probability `ratio` and else that of x; x
/// otherwise (Krueger et al. 2016).
Variable zoneout(const Operand& h, const Operand& x, const Scalar& ratio = 0.5);

/// Options of simplified_dropconnect; names and defaults as in Chainer.
struct SimplifiedDropconnectOptions {
    Scalar ratio = 0.5;
    bool train = true;               ///< False: a mask of ones, unless there is one, and no factor.
    Variable mask = {};              ///< Not 0 where a weight stays: [M, K], or [N, M, K].
    bool use_batchwise_mask = true;  ///< Draw a mask for each sample.
};
/// x W^T + b, where weights are 0 with probability `ratio` and divided by 1 - ratio otherwise: x
/// [N, ...] of K features, W [M, K], b [M] or undefined.
Variable simplified_dropconnect(const Operand& x, const Operand& W, const Operand& b,
                                const SimplifiedDropconnectOptions& options = {});

}  // namespace catena
