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
    Axes axis =
        {};  ///< Normalised axes; empty: all but those of gamma (1, 2, ...).
};

/// x normalised with the statistics of the batch (biased variance), times gamma plus beta.
Variable batch_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                             const BatchNormalizationOptions& options = {});
/// The same with given statistics.
Variable fixed_batch_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                                   const Operand& mean, const Operand& var,
                                   const Scalar& eps = 2e-5, const Axes& axis = {});

}  // namespace catena
