#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The indices of a gather: one index array for each of `axes` (ascending); the axes of the indices
/// are at `position` among the other axes.
struct Gather {
    Variables indices;
    Axes axes;
    int position = 0;
    Axes named = {};  ///< The axes as errors name them; empty: `axes`.
};
Variable gather(const Variable& x, const Gather& where);
/// The gradient (adjoint) of a gather: b added into zeros of `shape`.
Variable scatter(const Variable& b, const Gather& where, const Shape& shape);

}  // namespace catena
