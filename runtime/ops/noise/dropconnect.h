#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// In training mode each element is that of h with the probability `ratio`, and else that of x; in
/// test mode x (Krueger et al. 2016, "Zoneout"). Floats of one shape and dtype.
/// - h: The state before.
/// - x: The state now.
/// - ratio: The probability that an element stays as it was.
Variable zoneout(const Operand& h, const Operand& x, const Scalar& ratio = 0.5);

/// Options of simplified_dropconnect; names and defaults as in Chainer.
struct SimplifiedDropconnectOptions {
    /// The probability that a weight is 0.
    Scalar ratio = 0.5;
    /// Whether weights are dropped and the others divided by 1 - ratio; False: weights stay as they
    /// are, unless there is a mask.
    bool train = true;
    /// An array that is not 0 where a weight stays, in place of a drawn one: (M, K), or (N, M, K).
    Variable mask = {};
    /// Whether a mask is drawn for each sample.
    bool use_batchwise_mask = true;
};
/// x W^T + b, where weights are 0 with the probability `ratio`, and else divided by 1 - ratio (Wan
/// et al. 2013, "Regularization of Neural Networks using DropConnect"). The result is (N, M).
/// - x: (N, ...), of K features.
/// - W: (M, K).
/// - b: (M).
Variable simplified_dropconnect(const Operand& x, const Operand& W, const Operand& b,
                                const SimplifiedDropconnectOptions& options = {});

}  // namespace catena
