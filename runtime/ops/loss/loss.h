#pragma once

#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

/// Options of softmax_cross_entropy; names and defaults as in Chainer.
struct SoftmaxCrossEntropy {
    /// Whether the sum is divided by the number of labels that are not ignored (at least 1); else
    /// by the batch size, N.
    bool normalize = true;
    /// Factors for the losses of each class, (C); not differentiated, and for integer t only.
    Variable class_weight = {};
    /// Positions of this label have the loss 0; for integer t.
    int64_t ignore_label = -1;
    /// "mean", one number, or "no", one loss for each position.
    std::string reduce = "mean";
    /// The loss for floating point t: "cross-entropy", or "kl-divergence", which is (nearly) 0
    /// where the softmax of x is t.
    std::string soft_target_loss = "cross-entropy";
};

/// The cross entropy of softmax(x) along axis 1 and labels: -class_weight[t] * log_softmax(x)[t] at
/// each position, or -sum(t * log_softmax(x)) for probabilities t. Chainer's function; without
/// overflow, however large x is. ValueError for a label that is no class and not ignored.
/// - x: Scores before the softmax, floating point, of shape (N, C) or (N, C, ...).
/// - t: Integer labels from 0 to C - 1, of shape (N) or (N, ...); or probabilities, floating point,
///   of x's shape.
/// - cache_score, enable_double_backprop: Has no effect; it is there for Chainer's programs.
Variable softmax_cross_entropy(const Operand& x, const Operand& t,
                               const SoftmaxCrossEntropy& options = {});

/// The cross entropy of sigmoid(x) and labels, elementwise: -t * log(s) - (1 - t) * log(1 - s) with
/// s = sigmoid(x), and 0 where t is -1. Chainer's function; without overflow.
/// - x: Scores before the sigmoid, floating point.
/// - t: 0, 1, or -1 for positions that are ignored; of x's shape.
/// - normalize: Whether the sum is divided by the number of positions that are not ignored (at
///   least 1); else by the batch size, the size of axis 0.
/// - reduce: "mean", one number, or "no", one loss for each element.
Variable sigmoid_cross_entropy(const Operand& x, const Operand& t, bool normalize = true,
                               const std::string& reduce = "mean");

/// (x0 - x1)^2, elementwise. Floats of one shape and dtype (ShapeError, DtypeError).
Variable squared_error(const Operand& x0, const Operand& x1);
/// |x0 - x1|, elementwise; the gradient is 0 where they are equal. Floats of one shape and dtype
/// (ShapeError, DtypeError).
Variable absolute_error(const Operand& x0, const Operand& x1);
/// The mean of (x0 - x1)^2 over all elements, one number. Floats of one shape and dtype
/// (ShapeError, DtypeError).
Variable mean_squared_error(const Operand& x0, const Operand& x1);
/// The mean of |x0 - x1| over all elements, one number; the gradient is 0 where they are equal.
/// Floats of one shape and dtype (ShapeError, DtypeError).
Variable mean_absolute_error(const Operand& x0, const Operand& x1);

/// Huber's loss (Huber 1964), quadratic near 0 and linear beyond: with d = |x - t| it is d^2 / 2
/// where d <= delta, elsewhere delta * (d - delta / 2). Floats of one shape and dtype (ShapeError,
/// DtypeError).
/// - delta: From where on the loss is linear.
/// - reduce: "sum_along_second_axis", which drops axis 1, or "no", one loss for each element.
Variable huber_loss(const Operand& x, const Operand& t, const Scalar& delta,
                    const std::string& reduce = "sum_along_second_axis");

}  // namespace catena
