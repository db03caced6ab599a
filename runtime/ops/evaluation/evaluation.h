#pragma once

#include <optional>
#include <string>

#include "runtime/graph/op.h"

namespace catena {

/// Share of positions where the largest of y along axis 1 is at t, in y's dtype. Labels equal to
/// ignore_label are not counted; 0 when none is left. Not differentiable.
Variable accuracy(const Operand& y, const Operand& t, std::optional<int64_t> ignore_label = {});
/// Share of positions where (y >= 0) equals t (0 or 1); t of -1 is not counted. Not differentiable.
Variable binary_accuracy(const Operand& y, const Operand& t);
/// The coefficient of determination, 1 - sum((true - pred)^2) / sum((true - mean)^2) over axis 0,
/// and 0 where `truth` is constant. multioutput is "uniform_average", the mean over the other axes,
/// or "raw_values". Not differentiable.
Variable r2_score(const Operand& pred, const Operand& truth,
                  const std::string& multioutput = "uniform_average");

}  // namespace catena
