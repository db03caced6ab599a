#pragma once

#include <optional>
#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

/// The share of positions where the largest of y along axis 1 is at t; one number of y's dtype. No
/// gradient. Chainer's function.
/// - y: Scores, floating point, (N, C, ...).
/// - t: Integer labels, one for each position, (N, ...).
/// - ignore_label: A label that is not counted; 0 is given where no other is left.
Variable accuracy(const Operand& y, const Operand& t, std::optional<int64_t> ignore_label = {});
/// The share of positions where (y >= 0) is t; one number of y's dtype. No gradient. Chainer's
/// function.
/// - y: Scores, floating point.
/// - t: Integers of y's shape: 0, 1, or -1 for positions that are not counted.
Variable binary_accuracy(const Operand& y, const Operand& t);
/// The coefficient of determination: 1 - sum((true - pred)^2) / sum((true - mean)^2) over axis 0,
/// and 0 where `true` is constant. No gradient. Chainer's function.
/// - pred: Predictions, floating point.
/// - true, truth: What they should be, of the same shape.
/// - sample_weight: Has to be None: there are no weights of samples.
/// - multioutput: "uniform_average", the mean over the other axes, or "raw_values".
Variable r2_score(const Operand& pred, const Operand& truth,
                  const std::string& multioutput = "uniform_average");

}  // namespace catena
