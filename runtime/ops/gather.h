#pragma once

#include "runtime/ops/op.h"

namespace catena {

/// Where a gather reads: one index array for each of `axes` (ascending); the axes of the indices
/// stand at `position` among the other axes.
struct Gather {
    Variables indices;
    Axes axes;
    int position = 0;
    Axes named = {};  ///< What errors call `axes`; empty: as they are.
};
Variable gather(const Variable& x, const Gather& where);
/// The adjoint: b added into zeros of `shape`.
Variable scatter(const Variable& b, const Gather& where, const Shape& shape);

}  // namespace catena
