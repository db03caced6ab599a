#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// (x - mean) / sqrt(variance + eps) * gamma + beta, with the mean and the (biased) variance along
/// the last axis (Ba et al. 2016, "Layer Normalization"). Floats only; ShapeError where sizes do
/// not agree.
/// - x: (..., K).
/// - gamma: Factors, (K).
/// - beta: Added at the end, (K).
/// - eps: Added to the variance.
Variable layer_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                             const Scalar& eps = 1e-5);

/// Options of batch_normalization; names and defaults as in Chainer.
struct BatchNormalizationOptions {
    /// Added to the variance.
    Scalar eps = 2e-5;
    /// Changed in place when given: decay * old + (1 - decay) * the mean of the batch; of gamma's
    /// shape.
    Variable running_mean = {};
    /// Changed in place when given, likewise, by the unbiased variance of the batch; of gamma's
    /// shape.
    Variable running_var = {};
    /// How much of the running statistics stays.
    Scalar decay = 0.9;
    /// The axes that are normalised over; if not given, all but those of gamma, which are 1, 2, ...
    Axes axis = {};
};

/// (x - mean) / sqrt(variance + eps) * gamma + beta, with the mean and the (biased) variance of the
/// batch (Ioffe and Szegedy 2015, "Batch Normalization"). Floats only; ShapeError where sizes do
/// not agree.
/// - x: (N, C, ...).
/// - gamma: Factors, of the axes that are not normalised over: (C).
/// - beta: Added at the end, of gamma's shape.
Variable batch_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                             const BatchNormalizationOptions& options = {});
/// batch_normalization with statistics that are given, as in prediction.
/// - x: (N, C, ...).
/// - gamma: Factors, of the axes that are not normalised over: (C).
/// - beta: Added at the end, of gamma's shape.
/// - mean: Of gamma's shape.
/// - var: The variances, of gamma's shape.
/// - eps: Added to the variance.
/// - axis: The axes that are normalised over; if not given, all but those of gamma, which are 1, 2,
///   ...
Variable fixed_batch_normalization(const Operand& x, const Operand& gamma, const Operand& beta,
                                   const Operand& mean, const Operand& var,
                                   const Scalar& eps = 2e-5, const Axes& axis = {});

/// Options of batch_renormalization; names and defaults as in Chainer.
struct BatchRenormalizationOptions {
    /// Added to the variance.
    Scalar eps = 2e-5;
    /// How much of the running statistics stays.
    Scalar decay = 0.9;
    /// Whether the running statistics are changed in place, as batch_normalization does.
    bool update_statistics = false;
};
/// Batch normalization moved towards the running statistics (Ioffe 2017, "Batch Renormalization"):
/// (x - mean) / std * r + d, times gamma plus beta, with r = clip(std / running std, 1 / rmax,
/// rmax) and d = clip((mean - running mean) / running std, -dmax, dmax), which are not
/// differentiated. Floats only; ShapeError where sizes do not agree.
/// - x: (N, C, ...).
/// - gamma: Factors, with the axes of x from 1 on: (C).
/// - beta: Added at the end, of gamma's shape.
/// - rmax: At least 1 (ValueError).
/// - dmax: At least 0 (ValueError).
/// - running_mean, running_var: Of gamma's shape; they have to be given.
Variable batch_renormalization(const Operand& x, const Operand& gamma, const Operand& beta,
                               const Scalar& rmax, const Scalar& dmax, const Operand& running_mean,
                               const Operand& running_var,
                               const BatchRenormalizationOptions& options = {});

/// (x - mean) / sqrt(variance + eps) * gamma + beta, with the mean and the (biased) variance of
/// each group of channels of a sample (Wu and He 2018, "Group Normalization"). Floats only.
/// ValueError where the groups do not divide the channels.
/// - x: (N, C, ...).
/// - groups: How many groups of channels.
/// - gamma: Factors, (C).
/// - beta: Added at the end, (C).
/// - eps: Added to the variance.
Variable group_normalization(const Operand& x, int64_t groups, const Operand& gamma,
                             const Operand& beta, const Scalar& eps = 1e-5);
/// x / (|x| + eps), with Euclidean lengths along the axes. Vectors of zeros stay, and get the
/// gradient gy / eps. Floats only. Chainer's function.
/// - eps: Added to the lengths.
/// - axis: One or several, along which vectors lie.
Variable normalize(const Operand& x, const Scalar& eps = 1e-5, const Axes& axis = {1});
/// x / (k + alpha * s)^beta, where s is the sum of the squares of n / 2 channels before, the own,
/// and n / 2 behind (Krizhevsky et al. 2012, "ImageNet Classification with Deep Convolutional
/// Neural Networks"). Floats only.
/// - x: (N, C, ...).
/// - n: How many channels are read, rounded up to an odd number.
/// - k: Added to the sum.
/// - alpha: The factor of the sum.
/// - beta: The exponent.
Variable local_response_normalization(const Operand& x, int64_t n = 5, const Scalar& k = 2,
                                      const Scalar& alpha = 1e-4, const Scalar& beta = 0.75);
/// The local response normalization over `before` channels before and `behind` channels behind
/// each.
Variable local_response(const Variable& x, int64_t before, int64_t behind, const Scalar& k,
                        const Scalar& alpha, const Scalar& beta);

}  // namespace catena
