#pragma once

#include <optional>

#include "runtime/graph/op.h"

namespace catena {

// Scores of each class, where the prediction is the largest of y [N, C, ...] along axis 1 and t [N,
// ...] has the labels, 0 to label_num - 1 (none: as many as the largest of t says, which is read on
// the host). Positions whose label is ignore_label are not counted. Scores are of y's dtype and NaN
// where they are 0 / 0; support is int64. Not differentiable.

struct ClassificationSummary {
    Variable precision;  ///< Share of the positions predicted to be of the class that are.
    Variable recall;     ///< Share of the positions of the class that are predicted to be.
    Variable fbeta;      ///< (1 + beta^2) precision recall / (beta^2 precision + recall).
    Variable support;    ///< Positions of the class.
};
ClassificationSummary classification_summary(const Operand& y, const Operand& t,
                                             std::optional<int64_t> label_num = {},
                                             const Scalar& beta = 1.0, int64_t ignore_label = -1);

struct ClassScore {
    Variable score, support;
};
ClassScore precision(const Operand& y, const Operand& t, std::optional<int64_t> label_num = {},
                     int64_t ignore_label = -1);
ClassScore recall(const Operand& y, const Operand& t, std::optional<int64_t> label_num = {},
                  int64_t ignore_label = -1);
/// fbeta with beta = 1.
ClassScore f1_score(const Operand& y, const Operand& t, std::optional<int64_t> label_num = {},
                    int64_t ignore_label = -1);

}  // namespace catena
