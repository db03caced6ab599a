#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// Whitening (Huang et al. 2018, arXiv:1804.08450): the channels of x [N, C, ...] in `groups` groups
// of c, each with mean 0 and the identity as covariance.

/// The statistics of a batch.
struct Decorrelated {
    Variable y;
    Variable mean;        ///< The means, [groups, c].
    Variable projection;  ///< The whitening matrices covariance^(-1/2), [groups, c, c].
    double count;         ///< Number of elements of a channel.
};
Decorrelated decorrelated(const Variable& x, int64_t groups, const Scalar& eps);

/// Options of decorrelated_batch_normalization; names and defaults as in Chainer.
struct DecorrelatedOptions {
    /// How many groups the channels are in, which divides their number.
    int64_t groups = 16;
    /// Added to the variances.
    Scalar eps = 2e-5;
    /// (groups, c); changed in place when given: decay * old + (1 - decay) * the mean of the batch.
    Variable running_mean = {};
    /// (groups, c, c); changed in place when given, likewise, by the batch's projection times m /
    /// (m - 1) for m elements of a channel.
    Variable running_projection = {};
    /// How much of the running statistics stays.
    Scalar decay = 0.9;
};
/// Whitening: the channels of each group, of c, get the mean 0 and the identity as covariance over
/// the batch (Huang et al. 2018, "Decorrelated Batch Normalization"). Floats only. ShapeError where
/// the groups do not divide the channels.
/// - x: (N, C, ...).
Variable decorrelated_batch_normalization(const Operand& x,
                                          const DecorrelatedOptions& options = {});
/// decorrelated_batch_normalization with statistics that are given, as in prediction.
/// - x: (N, C, ...).
/// - mean: (groups, c).
/// - projection: (groups, c, c), the inverse square roots of covariances.
/// - groups: How many groups of c channels.
Variable fixed_decorrelated_batch_normalization(const Operand& x, const Operand& mean,
                                                const Operand& projection, int64_t groups = 16);

}  // namespace catena
