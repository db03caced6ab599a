#pragma once

#include <string>

#include "runtime/graph/op.h"

namespace catena {

/// Options of softmax_cross_entropy; names and defaults as in Chainer.
struct SoftmaxCrossEntropy {
    bool normalize =
        true;  ///< Divide by the number of labels not ignored (at least 1), else by the batch size.
    Variable class_weight = {};  ///< One factor per class, not differentiated.
    int64_t ignore_label = -1;
    std::string reduce = "mean";                     ///< "mean", or "no": one loss per label.
    std::string soft_target_loss = "cross-entropy";  ///< Or "kl-divergence"; for float t.
};

/// -class_weight[t] * log_softmax(x, axis 1)[t]. Integer t has x's shape without axis 1; float t
/// has x's shape and holds the probabilities to meet. ValueError for a label that is not a class.
Variable softmax_cross_entropy(const Operand& x, const Operand& t,
                               const SoftmaxCrossEntropy& options = {});

/// Of logits x and labels t: 0, 1, or -1 for "ignore". `normalize` divides by the number of labels
/// not ignored (at least 1), else by the batch size. reduce is "mean" or "no".
Variable sigmoid_cross_entropy(const Operand& x, const Operand& t, bool normalize = true,
                               const std::string& reduce = "mean");

Variable squared_error(const Operand& x0, const Operand& x1);   ///< (x0 - x1)^2, elementwise.
Variable absolute_error(const Operand& x0, const Operand& x1);  ///< |x0 - x1|; gradient 0 at 0.
Variable mean_squared_error(const Operand& x0, const Operand& x1);
Variable mean_absolute_error(const Operand& x0, const Operand& x1);

/// Quadratic up to `delta`, linear beyond. reduce is "sum_along_second_axis" or "no".
Variable huber_loss(const Operand& x, const Operand& t, const Scalar& delta,
                    const std::string& reduce = "sum_along_second_axis");

}  // namespace catena
