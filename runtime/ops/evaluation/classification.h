#pragma once

#include <optional>

#include "runtime/graph/op/op.h"

namespace catena {

// Scores of each class, where the prediction is the largest of y [N, C, ...] along axis 1 and t [N,
// ...] has the labels, 0 to label_num - 1 (none: as many as the largest of t says, which is read on
// the host). Positions whose label is ignore_label are not counted. Scores are of y's dtype and NaN
// where they are 0 / 0; support is int64. Not differentiable.

/// Scores of each class, (label_num).
struct ClassificationSummary {
    Variable precision;  ///< Share of the positions predicted to be of the class that are.
    Variable recall;     ///< Share of the positions of the class that are predicted to be.
    Variable fbeta;      ///< (1 + beta^2) precision recall / (beta^2 precision + recall).
    Variable support;    ///< Positions of the class.
};
/// Precision, recall and F-score of each class, where the prediction is the largest of y along axis
/// 1; of y's dtype, and NaN where they are 0 / 0. No gradient. Chainer's function.
/// - y: Scores, floating point, (N, C, ...).
/// - t: Integer labels, (N, ...).
/// - label_num: Number of classes; if not given, as many as the largest label says, which is read
///   on the host.
/// - beta: The F-score weighs recall by beta^2.
/// - ignore_label: Positions of this label are not counted.
ClassificationSummary classification_summary(const Operand& y, const Operand& t,
                                             std::optional<int64_t> label_num = {},
                                             const Scalar& beta = 1.0, int64_t ignore_label = -1);

struct ClassScore {
    Variable score, support;
};
/// The share of the positions predicted to be of a class that are, for each class, (label_num); NaN
/// where it is 0 / 0. No gradient. Chainer's function.
/// - y: Scores, floating point, (N, C, ...); the prediction is the largest along axis 1.
/// - t: Integer labels, (N, ...).
/// - label_num: Number of classes; if not given, as many as the largest label says, which is read
///   on the host.
/// - ignore_label: Positions of this label are not counted.
/// - returns: The scores of each class, and how many positions are of it, int64.
ClassScore precision(const Operand& y, const Operand& t, std::optional<int64_t> label_num = {},
                     int64_t ignore_label = -1);
/// The share of the positions of a class that are predicted to be, for each class, (label_num); NaN
/// where it is 0 / 0. No gradient. Chainer's function.
/// - y: Scores, floating point, (N, C, ...); the prediction is the largest along axis 1.
/// - t: Integer labels, (N, ...).
/// - label_num: Number of classes; if not given, as many as the largest label says, which is read
///   on the host.
/// - ignore_label: Positions of this label are not counted.
/// - returns: The scores of each class, and how many positions are of it, int64.
ClassScore recall(const Operand& y, const Operand& t, std::optional<int64_t> label_num = {},
                  int64_t ignore_label = -1);
/// The harmonic mean of precision and recall, for each class, (label_num); NaN where it is 0 / 0.
/// No gradient. Chainer's function.
/// - y: Scores, floating point, (N, C, ...); the prediction is the largest along axis 1.
/// - t: Integer labels, (N, ...).
/// - label_num: Number of classes; if not given, as many as the largest label says, which is read
///   on the host.
/// - ignore_label: Positions of this label are not counted.
/// - returns: The scores of each class, and how many positions are of it, int64.
ClassScore f1_score(const Operand& y, const Operand& t, std::optional<int64_t> label_num = {},
                    int64_t ignore_label = -1);

}  // namespace catena
