#pragma once

#include <optional>

#include "runtime/graph/op.h"

namespace catena {

/// Share of positions where the largest of y along axis 1 is at t, in y's dtype. Labels equal to
/// ignore_label are not counted; 0 when none is left. Not differentiable.
Variable accuracy(const Operand& y, const Operand& t, std::optional<int64_t> ignore_label = {});
/// Share of positions where (y >= 0) equals t (0 or 1); t of -1 is not counted. Not differentiable.
Variable binary_accuracy(const Operand& y, const Operand& t);

}  // namespace catena
