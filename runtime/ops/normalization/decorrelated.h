#pragma once

#include "runtime/graph/op.h"

namespace catena {

// Whitening (Huang et al. 2018, arXiv:1804.08450): the channels of x [N, C, ...] in `groups` groups
// of c, each with mean 0 and the identity as covariance.

/// What a batch gives.
struct Decorrelated {
    Variable y;
    Variable mean;        ///< [groups, c]
    Variable projection;  ///< [groups, c, c]: covariance^(-1/2).
    double count;         ///< Of elements of a channel.
};
Decorrelated decorrelated(const Variable& x, int64_t groups, const Scalar& eps);

/// Options of decorrelated_batch_normalization; names and defaults as in Chainer.
struct DecorrelatedOptions {
    int64_t groups = 16;
    Scalar eps = 2e-5;  ///< Added to the variances.
    Variable running_mean =
        {};  ///< [groups, c]; updated when given: decay * old + (1 - decay) * present.
    Variable running_projection =
        {};  ///< [groups, c, c]; the same, times m / (m - 1) for m elements of a channel.
    Scalar decay = 0.9;
};
Variable decorrelated_batch_normalization(const Operand& x,
                                          const DecorrelatedOptions& options = {});
/// The same with a given mean [groups, c] and projection [groups, c, c].
Variable fixed_decorrelated_batch_normalization(const Operand& x, const Operand& mean,
                                                const Operand& projection, int64_t groups = 16);

}  // namespace catena
