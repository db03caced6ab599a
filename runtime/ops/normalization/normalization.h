#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// (x - mean) / sqrt(variance + eps) * gamma + beta along the last axis of x; gamma and beta are
/// vectors of its size.
Variable layer_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                             const Scalar& eps = 1e-5);

/// Options of batch_normalization; names and defaults as in Chainer.
struct BatchNormalizationOptions {
    Scalar eps = 2e-5;
    Variable running_mean = {};  ///< Updated when given: decay * old + (1 - decay) * present.
    Variable running_var = {};   ///< The same, of the unbiased variance.
    Scalar decay = 0.9;
    Axes axis = {};  ///< Normalised axes; empty: all but those of gamma (1, 2, ...).
};

/// x normalised with the statistics of the batch (biased variance), times gamma plus beta.
Variable batch_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                             const BatchNormalizationOptions& options = {});
/// The same with given statistics.
Variable fixed_batch_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                                   const Operand& mean, const Operand& var,
                                   const Scalar& eps = 2e-5, const Axes& axis = {});

/// Options of batch_renormalization; names and defaults as in Chainer.
struct BatchRenormalizationOptions {
    Scalar eps = 2e-5;
    Scalar decay = 0.9;
    bool update_statistics =
        false;  ///< Update the running statistics, as batch_normalization does.
};
/// x normalised with the statistics of the batch, moved towards the running ones (Ioffe 2017):
/// times r = clip(std / running std, 1 / rmax, rmax), plus d = clip((mean - running mean) / running
/// std, -dmax, dmax), both not differentiated; times gamma plus beta, which have the axes of x from
/// 1 on.
Variable batch_renormalization(const Operand& x, const Operand& gamma, const Operand& beta,
                               const Scalar& rmax, const Scalar& dmax, const Operand& running_mean,
                               const Operand& running_var,
                               const BatchRenormalizationOptions& options = {});

/// x [N, C, ...] with mean 0 and variance 1 in each of `groups` groups of channels of a sample,
/// times gamma [C] plus beta [C].
Variable group_normalization(const Operand& x, int64_t groups, const Operand& gamma,
                             const Operand& beta, const Scalar& eps = 1e-5);
/// x / (|x| + eps) with Euclidean lengths along the axes; zeros stay and get the gradient gy / eps.
Variable normalize(const Operand& x, const Scalar& eps = 1e-5, const Axes& axis = {1});
/// x / (k + alpha * s)^beta, where s sums the squares of n / 2 channels before, the own, and n / 2
/// behind (Krizhevsky et al. 2012).
Variable local_response_normalization(const Operand& x, int64_t n = 5, const Scalar& k = 2,
                                      const Scalar& alpha = 1e-4, const Scalar& beta = 0.75);
/// The same over `before` and `behind` channels.
Variable local_response(const Variable& x, int64_t before, int64_t behind, const Scalar& k,
                        const Scalar& alpha, const Scalar& beta);

}  // namespace catena
